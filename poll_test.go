package turnstile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestPollRepeatsUntilTheResultIsSufficient(t *testing.T) {
	t.Parallel()
	looks := 0
	look := turnstile.NewActivity[int, int]("Look")
	var took time.Duration
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		startedAt := turnstile.Now(ctx)
		n, err := turnstile.Poll(ctx, look.Call, 0, func(n int) bool { return n == 5 },
			turnstile.PollPolicy{InitialInterval: time.Minute, MaxInterval: 3 * time.Minute})
		if n != 5 || err != nil {
			return differ("Poll gave %d, %v", n, err)
		}
		took = turnstile.Now(ctx).Sub(startedAt)
		return nil
	}, look.Implement(func(context.Context, int) (int, error) { looks++; return looks, nil }))
	if err != nil {
		t.Error(err)
	}
	// The delays are 1, 2, 3 and 3 minutes.
	if looks != 5 || took != 9*time.Minute {
		t.Errorf("it looked %d times and took %s, want 5 times in 9m", looks, took)
	}
	// Two events for each call, two for each delay, and nothing else.
	if want := 2 + 2 + 5*2 + 4*2; len(kinds) != want {
		t.Errorf("%d events were recorded, want %d: %v", len(kinds), want, kinds)
	}
}

func TestPollEndsWithAnErrorOrAfterItsAttempts(t *testing.T) {
	t.Parallel()
	never := func(int) bool { return false }
	_, err := outcome(t, func(ctx turnstile.Context) error {
		n, err := turnstile.Poll(ctx, double.Inline, 4, never, turnstile.PollPolicy{MaxAttempts: 3, BackoffCoefficient: 1})
		if tried, ok := errors.AsType[*turnstile.PollError](err); !ok || tried.Attempts != 3 || n != 8 {
			return differ("after its attempts: %d, %v", n, err)
		}
		if _, err := turnstile.Poll(ctx, odd.Call, 2, never, turnstile.PollPolicy{}); turnstile.ErrorCode(err) != "even" {
			return differ("with an error: %v", err)
		}
		scope, _ := turnstile.WithTimeout(ctx, time.Hour)
		if _, err := turnstile.Poll(scope, double.Call, 4, never, turnstile.PollPolicy{}); !errors.Is(err, turnstile.ErrTimeout) {
			return differ("in a scope: %v", err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestAnInvalidPollPolicyIsRejectedBeforeTheFirstCall(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		for name, p := range map[string]turnstile.PollPolicy{
			"InitialInterval":    {InitialInterval: -time.Second},
			"MaxInterval":        {MaxInterval: turnstile.MaxTimer + 1},
			"MaxAttempts":        {MaxAttempts: -1},
			"BackoffCoefficient": {BackoffCoefficient: 0.5},
		} {
			looks := 0
			_, err := turnstile.Poll(ctx, func(turnstile.Context, int) (int, error) { looks++; return 0, nil }, 0, func(int) bool { return true }, p)
			if wrong, ok := errors.AsType[*turnstile.InvalidArgumentError](err); !ok || wrong.Argument != name || looks != 0 {
				return differ("%s: %d looks, %v", name, looks, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
