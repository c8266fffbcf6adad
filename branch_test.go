package turnstile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestABranchReturnsItsOwnType(t *testing.T) {
	t.Parallel()
	type local struct{ channel chan int } // has no JSON form, which a branch does not need
	_, err := outcome(t, func(ctx turnstile.Context) error {
		c := make(chan int)
		branch := turnstile.Go(ctx, func(ctx turnstile.Context) (local, error) {
			n, err := double.Call(ctx, 4)
			if n != 8 {
				return local{}, differ("Double gave %d", n)
			}
			return local{c}, err
		})
		failing := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) { return 7, errors.New("odd") })
		if got, err := branch.Await(ctx); got.channel != c || err != nil {
			return differ("the branch gave %v, %v", got, err)
		}
		if got, err := failing.Await(ctx); got != 0 || err == nil || err.Error() != "odd" {
			return differ("the failing branch gave %v, %v", got, err)
		}
		if branch.EventID() != 0 {
			return differ("a branch is event %d", branch.EventID())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestF10BranchesRunInTheOrderOfTheirStart(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		var order []int
		var branches []turnstile.Future[int]
		for n := range 5 {
			branches = append(branches, turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
				order = append(order, n)
				if err := turnstile.Sleep(ctx, time.Second); err != nil {
					return 0, err
				}
				order = append(order, n)
				return n, nil
			}))
		}
		if len(order) != 0 {
			return differ("a branch ran before its parent blocked")
		}
		got, err := turnstile.Join(ctx, branches...)
		if err != nil || !reflect.DeepEqual(got, []int{0, 1, 2, 3, 4}) || !reflect.DeepEqual(order, []int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}) {
			return differ("results %v in the order %v, %v", got, order, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if want := "OrchestrationStarted" + strings.Repeat(" TimerCreated", 5) + strings.Repeat(" TimerFired", 5) + " OrchestrationCompleted"; strings.Join(kinds, " ") != want {
		t.Errorf("recorded were %v", kinds)
	}
}

func TestACancelledBranchSeesItsScopeCancelled(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var inside error
		cleaned := false
		branch := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
			inside = turnstile.Sleep(ctx, time.Hour)
			n, err := double.Call(turnstile.WithoutCancel(ctx), 1)
			cleaned = n == 2 && err == nil
			return 5, nil
		})
		if err := turnstile.Sleep(ctx, time.Second); err != nil {
			return err
		}
		branch.Cancel("enough")
		n, err := branch.Await(ctx)
		if cancelled, ok := errors.AsType[*turnstile.CancelledError](err); !ok || cancelled.Reason != "enough" || n != 0 {
			return differ("the branch gave %d, %v", n, err)
		}
		if err := turnstile.Sleep(ctx, time.Second); err != nil {
			return err
		}
		if !errors.Is(inside, turnstile.ErrCancelled) || !cleaned {
			return differ("inside: %v, cleaned up: %v", inside, cleaned)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
