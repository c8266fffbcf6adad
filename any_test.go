package turnstile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

var odd = turnstile.NewActivity[int, int]("Odd")

// oddOnly fails for even numbers.
func oddOnly(_ context.Context, n int) (int, error) {
	if n%2 == 0 {
		return 0, turnstile.WithCode(errors.New("even"), "even")
	}
	return n, nil
}

func TestF07AnyTakesTheFirstSuccess(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		never := approvedNumber.Next(ctx)
		futures := []turnstile.Future[int]{odd.Start(ctx, 2), never, odd.Start(ctx, 3)}
		i, n, err := turnstile.Any(ctx, futures...)
		if i != 2 || n != 3 || err != nil {
			return differ("Any gave %d, %d, %v", i, n, err)
		}
		if _, err := never.Await(ctx); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("the loser gave %v", err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

var approvedNumber = turnstile.NewEvent[int]("number")

func TestF07AnyListsAllErrorsIfNoneSucceeds(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		i, _, err := turnstile.Any(ctx, odd.Start(ctx, 2), odd.Start(ctx, 4))
		all, ok := errors.AsType[*turnstile.AllFailedError](err)
		if !ok || i != -1 || len(all.Errs) != 2 {
			return differ("Any gave %d, %v", i, err)
		}
		for i, err := range all.Errs {
			if failed, ok := errors.AsType[*turnstile.ActivityError](err); !ok || failed.Code != "even" || failed.EventID != int64(2+i) {
				return differ("error %d is %v", i, err)
			}
		}
		return err
	}, odd.Implement(oddOnly))
	// If the error is not handled, the orchestration fails with all errors.
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || strings.Count(failed.Message, `activity "Odd" failed: even`) != 2 {
		t.Error(err)
	}
}

func TestF02AnyOverNothingIsATypedError(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		if _, _, err := turnstile.Any[int](ctx); !errors.Is(err, turnstile.ErrNothingToWaitFor) {
			return differ("Any gave %v", err)
		}
		if all, err := turnstile.JoinSettled[int](ctx); err != nil || len(all) != 0 {
			return differ("Settle gave %v, %v", all, err)
		}
		for range turnstile.AsCompleted[int](ctx) {
			return differ("AsCompleted yielded something")
		}
		return turnstile.JoinMixed(ctx)
	})
	if err != nil || len(kinds) != 2 {
		t.Error(kinds, err)
	}
}

func TestSettleReturnsEveryOutcomeInArgumentOrder(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		all, err := turnstile.JoinSettled(ctx, odd.Start(ctx, 1), odd.Start(ctx, 2), odd.Start(ctx, 3))
		if err != nil || len(all) != 3 || all[0].Value != 1 || all[2].Value != 3 || all[0].Err != nil {
			return differ("Settle gave %v, %v", all, err)
		}
		if failed, ok := errors.AsType[*turnstile.ActivityError](all[1].Err); !ok || failed.Activity != "Odd" || all[1].Value != 0 {
			return differ("outcome 1 is %v", all[1])
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestJoinMixedWaitsForOperationsOfAllTypes(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		number, timer := odd.Start(ctx, 1), turnstile.After(ctx, time.Minute)
		if err := turnstile.JoinMixed(ctx, number, timer); err != nil {
			return err
		}
		if !number.Ready() || !timer.Ready() {
			return differ("it did not wait for both")
		}
		err := turnstile.JoinMixed(ctx, odd.Start(ctx, 2), turnstile.After(ctx, time.Minute))
		if failed, ok := errors.AsType[*turnstile.ActivityError](err); !ok || failed.Code != "even" {
			return differ("the error is %v", err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestF08AsCompletedYieldsInHistoryOrder(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		sleep := func(d time.Duration) turnstile.Future[time.Duration] {
			return turnstile.Go(ctx, func(ctx turnstile.Context) (time.Duration, error) { return d, turnstile.Sleep(ctx, d) })
		}
		slow, failing, quick := sleep(time.Hour), odd.Start(ctx, 2), sleep(time.Minute)
		asDuration := turnstile.Go(ctx, func(ctx turnstile.Context) (time.Duration, error) {
			_, err := failing.Await(ctx)
			return 0, err
		})
		var order []int
		for i, o := range turnstile.AsCompleted(ctx, slow, asDuration, quick) {
			order = append(order, i)
			if (o.Err != nil) != (i == 1) || i == 2 && o.Value != time.Minute {
				return differ("outcome %d is %v", i, o)
			}
			if i == 2 {
				break
			}
		}
		if len(order) != 2 || order[0] != 1 || order[1] != 2 {
			return differ("the order is %v", order)
		}
		// Operations that have not ended when the loop is left stay open.
		if slow.Ready() {
			return differ("the slow one is ready")
		}
		_, err := slow.Await(ctx)
		return err
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}
