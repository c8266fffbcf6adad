package attempt

import (
	"strings"
	"testing"
)

// Users' services store these keys, so no build may derive different ones for the same event.
func TestAnIdempotencyKeyIsTheHashOfItsScheduledEvent(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		instance         string
		execution, event int64
		want             string
	}{
		{"order-1", 1, 2, "0fbd5dd5d5d88431c24dda6095466989"},
		{"", 0, 0, "51bf5a9f1ed7633a193f6fdd17a7a3af"},
		{strings.Repeat("ä", 200), 1 << 40, 1 << 50, "81f25b8e162cc9539172abe4a9e0a91f"},
	} {
		if got := IdempotencyKey(of.instance, of.execution, of.event); got != of.want {
			t.Errorf("execution %d, event %d of %q: key %s, want %s", of.execution, of.event, of.instance, got, of.want)
		}
	}
}
