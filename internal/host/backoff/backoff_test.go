package backoff

import (
	"testing"
	"time"
)

func TestGrownDoublesUpToTheLongest(t *testing.T) {
	t.Parallel()
	for n, want := range []time.Duration{1, 2, 4, 5, 5} {
		if got := Grown(time.Second, 5*time.Second, n); got != want*time.Second {
			t.Errorf("n %d: %s, want %s", n, got, want*time.Second)
		}
	}
	if got := Grown(time.Second, time.Hour, 1000); got != time.Hour {
		t.Errorf("n 1000: %s", got)
	}
	if got := Grown(time.Second, time.Hour, -1); got != time.Second {
		t.Errorf("n -1: %s", got)
	}
}
