package turnstile_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestAMutexLetsOneBranchAtATimeContinue(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var mu turnstile.Mutex
		var steps []string
		err := turnstile.ForEach(ctx, []int{0, 1, 2}, 3, func(ctx turnstile.Context, n int) error {
			if err := mu.Lock(ctx); err != nil {
				return err
			}
			defer mu.Unlock()
			steps = append(steps, fmt.Sprint(n, " in"))
			// The first branch sleeps longest, and the others still continue in order.
			err := turnstile.Sleep(ctx, time.Duration(3-n)*time.Minute)
			steps = append(steps, fmt.Sprint(n, " out"))
			return err
		})
		if want := []string{"0 in", "0 out", "1 in", "1 out", "2 in", "2 out"}; err != nil || !reflect.DeepEqual(steps, want) {
			return differ("%v, %v", steps, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestABranchCancelledWhileWaitingTakesNoPermit(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		s := turnstile.NewSemaphore(3)
		if err := s.Acquire(ctx, 2); err != nil {
			return err
		}
		scope, cancel := turnstile.WithCancel(ctx)
		// It needs more permits than are free, and the branches after it wait their turn.
		large := turnstile.Go(scope, func(ctx turnstile.Context) (int, error) { return 0, s.Acquire(ctx, 3) })
		small := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) { return 0, s.Acquire(ctx, 1) })
		if err := turnstile.Sleep(ctx, time.Minute); err != nil {
			return err
		}
		if large.Ready() || small.Ready() {
			return differ("the small one overtook the large one")
		}
		cancel("enough")
		if _, err := large.Await(ctx); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("the large one gave %v", err)
		}
		if _, err := small.Await(ctx); err != nil {
			return err
		}
		if err := s.Acquire(scope, 1); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("in a cancelled scope: %v", err)
		}
		s.Release(3)
		// Permits that arrive at the same time as the cancel go to the next branch.
		if err := s.Acquire(ctx, 3); err != nil {
			return err
		}
		scope, cancel = turnstile.WithCancel(ctx)
		first := turnstile.Go(scope, func(ctx turnstile.Context) (int, error) { return 0, s.Acquire(ctx, 3) })
		second := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) { return 0, s.Acquire(ctx, 3) })
		if err := turnstile.Sleep(ctx, time.Minute); err != nil {
			return err
		}
		cancel("enough")
		s.Release(3)
		if _, err := first.Await(ctx); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("the first gave %v", err)
		}
		_, err := second.Await(ctx)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAcquireRejectsNumbersOutOfRange(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		s := turnstile.NewSemaphore(2)
		for _, n := range []int{-1, 0, 3} {
			var wrong *turnstile.InvalidArgumentError
			if err := s.Acquire(ctx, n); !errors.As(err, &wrong) {
				return differ("%d gave %v", n, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAWaitGroupWaitsForBranches(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var wg turnstile.WaitGroup
		done := 0
		for n := range 3 {
			wg.Add(1)
			turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
				defer wg.Done()
				err := turnstile.Sleep(ctx, time.Duration(n)*time.Minute)
				done++
				return 0, err
			})
		}
		if err := wg.Wait(ctx); err != nil || done != 3 {
			return differ("%d were done, %v", done, err)
		}
		if err := wg.Wait(ctx); err != nil {
			return err
		}
		wg.Add(1)
		scope, _ := turnstile.WithTimeout(ctx, time.Minute)
		if err := wg.Wait(scope); !errors.Is(err, turnstile.ErrTimeout) {
			return differ("with a timeout: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
