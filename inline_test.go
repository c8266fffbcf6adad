package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestA14InlineRunsInTheTurn(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		if n, err := double.Inline(ctx, 4); n != 8 || err != nil {
			return differ("Double gave %d, %v", n, err)
		}
		_, err := odd.Inline(ctx, 2)
		if failed, ok := errors.AsType[*turnstile.ActivityError](err); !ok || failed.Activity != "Odd" || failed.Code != "even" || failed.Attempt != 1 {
			return differ("Odd gave %v", err)
		}
		all, err := turnstile.Map(ctx, []int{1, 2, 3}, 2, double.Inline)
		if err != nil || !reflect.DeepEqual(all, []int{2, 4, 6}) {
			return differ("Map gave %v, %v", all, err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
	if len(kinds) != 12 {
		t.Errorf("recorded were %v", kinds)
	}
}

func TestAnInlineRetryThatWaitsForLongIsATimer(t *testing.T) {
	t.Parallel()
	flaky := turnstile.NewActivity[int, string]("Flaky").With(turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 4, InitialInterval: time.Second, BackoffCoefficient: 60,
	}))
	keys := map[string]bool{}
	var attempts []int
	var at []time.Time
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		got, err := flaky.Inline(ctx, 0)
		if err != nil || got != "at last" {
			return differ("Flaky gave %q, %v", got, err)
		}
		at = append(at, turnstile.Now(ctx))
		return nil
	}, flaky.Implement(func(ctx context.Context, _ int) (string, error) {
		info := turnstile.ActivityInfo(ctx)
		keys[info.IdempotencyKey] = true
		if attempts = append(attempts, info.Number); info.Number < 4 {
			return "", errors.New("not yet")
		}
		return "at last", nil
	}))
	if err != nil {
		t.Error(err)
	}
	// The retry after one second runs in the turn; those after a minute and an hour are timers.
	if !reflect.DeepEqual(attempts, []int{1, 2, 3, 4}) || len(keys) != 1 {
		t.Errorf("the attempts were %v, with %d keys", attempts, len(keys))
	}
	if len(at) == 0 || at[0].Sub(epoch) < time.Hour+time.Minute+time.Second {
		t.Errorf("it was done at %v", at)
	}
	want := []string{"OrchestrationStarted", "ActivityScheduled", "ActivityFailed", "TimerCreated", "TimerFired",
		"ActivityScheduled", "ActivityFailed", "TimerCreated", "TimerFired",
		"ActivityScheduled", "ActivityCompleted", "SystemCall", "OrchestrationCompleted"}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("recorded were %v", kinds)
	}
}

func TestThreeThousandInlineStepsInOneOrchestration(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]turnstile.Activity[int, int]{
		"each with a commit of its own": double,
		"a hundred a commit":            double.With(turnstile.CommitEvery(100)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kinds, err := outcome(t, func(ctx turnstile.Context) error {
				for n := range 3000 {
					if got, err := step.Inline(ctx, n); got != 2*n || err != nil {
						return fmt.Errorf("step %d gave %d, %w", n, got, err)
					}
				}
				return nil
			})
			if err != nil || len(kinds) != 6002 {
				t.Error(len(kinds), err)
			}
		})
	}
}
