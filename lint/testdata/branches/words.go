package branches

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

func words(ctx turnstile.Context, orders []string) error {
	var err error
	var ids []int
	for _, order := range orders {
		turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
			var n int
			n, err = charge.Call(ctx, order) // want `capture: the captured variable err is written, and each of these branches`
			return n, err
		})
	}
	_, _ = turnstile.Map(ctx, orders, 3, func(ctx turnstile.Context, order string) (int, error) {
		n, err := charge.Call(ctx, order)
		ids = append(ids, n) // want `capture: the captured variable ids is written`
		return n, err
	})
	total := 0
	_ = turnstile.ForEach(ctx, orders, 3, func(ctx turnstile.Context, order string) error {
		time.Sleep(1)                          // want `clock: time.Sleep`
		total += must(charge.Call(ctx, order)) // want `capture: the captured variable total is written`
		total++
		return nil
	})
	// A function that is passed by name is checked too.
	_, _ = turnstile.Map(ctx, orders, 3, charge.Call)
	_, err = turnstile.Map(ctx, orders, 3, named)
	return err
}

func named(ctx turnstile.Context, order string) (int, error) {
	time.Sleep(1) // want `clock: time.Sleep`
	return charge.Inline(ctx, order)
}

func sagas(ctx turnstile.Context, orders []string) (err error) {
	var saga turnstile.Saga
	var order string
	for _, order = range orders {
		saga.Add("an order", func(ctx turnstile.Context) error {
			_, err = charge.Call(ctx, order) // want `capture: the captured variable order gets another value in each iteration`
			return err
		})
	}
	last := 0
	_, err = turnstile.Poll(ctx, func(ctx turnstile.Context, order string) (int, error) {
		last++
		last = last * 2
		return charge.Call(ctx, order)
	}, order, func(int) bool { return last > 3 }, turnstile.PollPolicy{})
	return err
}

var (
	permits = turnstile.NewSemaphore(3)
	door    turnstile.Mutex
)

func shares(ctx turnstile.Context) error {
	own := turnstile.NewSemaphore(1)
	if err := own.Acquire(ctx, 1); err != nil {
		return err
	}
	defer door.Unlock()            // want `global: the package-level variable door is shared by all instances in the process, but its value belongs to one; keep it in a local variable`
	return permits.Acquire(ctx, 1) // want `global: the package-level variable permits is shared`
}

func must(n int, err error) int { return n }
