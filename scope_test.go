package turnstile_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestK09AScopeWithATimeoutEndsWhatWasStartedInIt(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		outside := turnstile.After(ctx, 2*time.Hour)
		scope, _ := turnstile.WithTimeout(ctx, time.Hour)
		inner, _ := turnstile.WithCancel(scope)
		in, deep := approvedNumber.Next(scope), turnstile.After(inner, 3*time.Hour)
		for _, f := range []turnstile.Awaitable{in, deep} {
			err := turnstile.JoinMixed(ctx, f)
			cancelled, ok := errors.AsType[*turnstile.CancelledError](err)
			if !ok || !cancelled.Timeout || !errors.Is(err, turnstile.ErrTimeout) || errors.Is(err, turnstile.ErrCancelled) {
				return differ("in the scope: %v", err)
			}
		}
		if err := turnstile.Sleep(inner, 1); !errors.Is(err, turnstile.ErrTimeout) {
			return differ("started when the time was over: %v", err)
		}
		if !errors.Is(scope.Err(), turnstile.ErrTimeout) || ctx.Err() != nil {
			return differ("Err is %v inside, %v outside", scope.Err(), ctx.Err())
		}
		_, err := outside.Await(ctx)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := count(kinds, "TimerCreated"); n != 3 {
		t.Errorf("%d timers were created, want 3", n)
	}
}

func TestK09AScopeThatIsCancelledInTimeRemovesItsTimer(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		scope, cancel := turnstile.WithTimeout(ctx, time.Hour)
		if n, err := double.Call(scope, 2); n != 4 || err != nil {
			return differ("in the scope: %d, %v", n, err)
		}
		cancel("done")
		if !errors.Is(scope.Err(), turnstile.ErrCancelled) || errors.Is(scope.Err(), turnstile.ErrTimeout) {
			return differ("Err is %v", scope.Err())
		}
		return turnstile.Sleep(ctx, 2*time.Hour)
	})
	if err != nil {
		t.Error(err)
	}
	if n := count(kinds, "TimerFired"); n != 1 {
		t.Errorf("%d timers fired, want the last alone", n)
	}
}

func TestAnOrchestrationThatReturnsATimeoutHasFailedByTimeout(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		scope, _ := turnstile.WithTimeout(ctx, time.Second)
		return turnstile.Sleep(scope, time.Hour)
	})
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindTimeout {
		t.Errorf("the error is %v", err)
	}
}

func count(list []string, word string) int {
	n := 0
	for _, s := range list {
		if s == word {
			n++
		}
	}
	return n
}
