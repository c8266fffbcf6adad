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
	// What is handed over by its name is looked at as well.
	_, _ = turnstile.Map(ctx, orders, 3, charge.Call)
	_, err = turnstile.Map(ctx, orders, 3, named)
	return err
}

func named(ctx turnstile.Context, order string) (int, error) {
	time.Sleep(1) // want `clock: time.Sleep`
	return charge.Inline(ctx, order)
}

func must(n int, err error) int { return n }
