package plain_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
)

func TestSpansHaveTwoUnitsAtMost(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0ms", 999 * time.Millisecond: "999ms", time.Second: "1.0s", 9999 * time.Millisecond: "9.9s", 59 * time.Second: "59s",
		time.Minute: "1m00s", 61 * time.Minute: "1h01m", 25 * time.Hour: "1d01h", -time.Second: "-1.0s",
	} {
		if got := plain.Span(d); got != want {
			t.Errorf("Span(%d) = %s, want %s", d, got, want)
		}
	}
}
