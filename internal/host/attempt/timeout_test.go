package attempt

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
)

// firing is a clock whose timers fire while the attempt runs.
type firing struct{ *clock.Virtual }

func (firing) AfterFunc(_ time.Duration, f func()) func() bool {
	go f()
	return func() bool { return false }
}

func TestA06AnAttemptThatReturnsWhenItsContextEndsFailsByTimeout(t *testing.T) {
	t.Parallel()
	for range 2000 {
		a := &Attempt{Clock: firing{clock.NewVirtual(time.UnixMilli(1_700_000_000_000))}, Limit: Limit{Timeout: time.Second}, MaxPayload: 1000, Go: func(f func()) { go f() },
			Info: activities.Info{Name: "Slow", Number: 1},
			Code: func(ctx context.Context, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }}
		if r := a.Do(t.Context()); r.Failure == nil || r.Failure.Kind != history.FailureTimeout {
			t.Fatalf("failed with %+v, want a timeout", r.Failure)
		}
	}
}

// numb is an error whose Error method panics on a nil pointer.
type numb struct{ text string }

func (e *numb) Error() string { return e.text }

// treacherous is an error whose Is method panics.
type treacherous struct{}

func (treacherous) Error() string { return "treacherous" }
func (treacherous) Is(error) bool { panic("no") }

func TestAnErrorWhoseMethodsPanicIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	var none *numb
	for name, failed := range map[string]error{"a typed nil": none, "Is": treacherous{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &Attempt{Clock: clock.NewVirtual(time.UnixMilli(1_700_000_000_000)), Limit: Limit{Timeout: time.Second}, MaxPayload: 1000, Go: func(f func()) { go f() },
				Info: activities.Info{Name: "Charge", Number: 1}, Code: func(context.Context, []byte) ([]byte, error) { return nil, failed }}
			r := a.Do(t.Context())
			if r.Failure == nil || r.Failure.Kind != history.FailurePanic || r.Failure.Stack == "" {
				t.Errorf("failed with %+v, want a panic", r.Failure)
			}
		})
	}
}
