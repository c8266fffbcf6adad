package host

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/history"
)

// firing is a clock whose timers fire while the attempt runs.
type firing struct{ *virtualClock }

func (firing) AfterFunc(_ time.Duration, f func()) func() bool {
	go f()
	return func() bool { return false }
}

func TestA06AnAttemptThatReturnsWhenItsContextEndsFailsByTimeout(t *testing.T) {
	t.Parallel()
	for range 2000 {
		a := &attempt{clock: firing{newVirtualClock()}, limit: attemptLimit{timeout: time.Second}, maxPayload: 1000, start: func(f func()) { go f() },
			info: activity.Info{Name: "Slow", Attempt: 1},
			code: func(ctx context.Context, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }}
		if r := a.do(t.Context()); r.failure == nil || r.failure.Kind != history.FailureTimeout {
			t.Fatalf("failed with %+v, want a timeout", r.failure)
		}
	}
}
