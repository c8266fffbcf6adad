package turnstile_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile"
)

// One interceptor wraps orchestrations and the attempts of activities.
func ExampleInterceptor() {
	charge := turnstile.NewActivity[int, string]("Charge").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2}))
	order := turnstile.NewOrchestration[int, string]("Order")
	watch := turnstile.Interceptor{
		Name: "watch",
		Orchestration: func(ctx turnstile.Context, call *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			err := next(ctx)
			turnstile.AfterCommit(ctx, func() { fmt.Println("order", string(call.Input), "ended:", string(call.Output)) })
			return err
		},
		Activity: func(ctx context.Context, _ *turnstile.ActivityCall, next func(context.Context) error) error {
			err := next(ctx)
			fmt.Println("attempt", turnstile.ActivityInfo(ctx).Number, "error:", err)
			return err
		},
	}
	show(order, 17, nil, watch,
		charge.Implement(func(ctx context.Context, n int) (string, error) {
			if turnstile.ActivityInfo(ctx).Number == 1 {
				return "", errors.New("the bank is busy")
			}
			return fmt.Sprint("paid for ", n), nil
		}),
		order.Implement(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }))
	// Output:
	// attempt 1 error: the bank is busy
	// attempt 2 error: <nil>
	// order 17 ended: "paid for 17"
	// completed: paid for 17
}

// Everything that is started with the context gets the header.
func ExampleWithHeaders() {
	restock := turnstile.NewActivity[int, string]("Restock")
	order := turnstile.NewOrchestration[int, string]("Order")
	show(order, 17, nil,
		restock.Implement(func(ctx context.Context, _ int) (string, error) {
			return "for " + turnstile.ActivityInfo(ctx).Headers["shop"], nil
		}),
		order.Implement(func(ctx turnstile.Context, n int) (string, error) {
			north, err := turnstile.WithHeaders(ctx, map[string]string{"shop": "north"})
			if err != nil {
				return "", err
			}
			return restock.Call(north, n)
		}))
	// Output:
	// completed: for north
}
