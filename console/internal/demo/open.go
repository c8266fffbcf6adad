package main

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/console/internal/seed"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// open returns the client of what is shown.
func open(ctx context.Context, still bool, every time.Duration) (*turnstile.Client, []console.Option, error) {
	if still {
		w, err := seed.Make(seed.Epoch)
		if err != nil {
			return nil, nil, err
		}
		return w.Client, []console.Option{console.Clock(func() time.Time { return w.Now }), console.Place(api.Place{Kind: "embedded"})}, nil
	}
	env, err := embedded.New(seed.App(300 * time.Millisecond))
	if err != nil {
		return nil, nil, err
	}
	w, err := seed.Make(time.Now().UTC().Add(-seed.Span))
	if err != nil {
		return nil, nil, err
	}
	if err := w.CopyTo(ctx, env.Store()); err != nil {
		return nil, nil, err
	}
	go func() {
		if err := env.Run(ctx); err != nil {
			fmt.Println("demo:", err)
		}
	}()
	go orderAgain(ctx, env.Client(), every)
	return env.Client(), []console.Option{console.Place(api.Place{Kind: "embedded"})}, nil
}

// orderAgain starts an order now and then, and approves most of them.
func orderAgain(ctx context.Context, c *turnstile.Client, every time.Duration) {
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 1; ; n++ {
		id := fmt.Sprintf("live-%d", n)
		if _, err := orders.Fulfil.StartWith(ctx, c, seed.Order(id, n), turnstile.InstanceID(id)); err != nil {
			fmt.Println("demo:", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%3 != 0 {
			if err := orders.Approved.Raise(ctx, c, id, orders.Approval{By: "Grace", Approved: n%4 != 0}); err != nil {
				fmt.Println("demo:", err)
			}
		}
	}
}
