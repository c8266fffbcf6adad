package client_test

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// An order waits for its approval. A service starts it, somebody approves, and
// whoever knows its id can wait for the result, with the right type.
func Example() {
	order := turnstile.NewOrchestration[string, string]("Order")
	env, err := embedded.New(turnstile.NewApp(order.Implement(func(ctx turnstile.Context, item string) (string, error) {
		a, err := approved.Wait(ctx)
		return item + ", approved by " + a.By, err
	})), embedded.WithVirtualTime(epoch))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()

	c := env.Client() // on AWS: awslambda.NewClient(ctx)
	run, err := client.Start(ctx, c, order, "a lamp", client.WithInstanceID("order-17"))
	if err != nil {
		fmt.Println(err)
	}
	if err := client.Raise(ctx, c, approved, run.Instance, approval{By: "Grace"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(client.Attach(c, order, "order-17").Wait(ctx))
	stop()
	fmt.Println(<-ended)
	// Output:
	// a lamp, approved by Grace <nil>
	// <nil>
}

// The token of an activity that returned ErrPending completes it, typed by the
// declaration; the function that answers a link in a mail does no more.
func ExampleComplete() {
	ask := turnstile.NewActivity[string, bool]("Ask")
	flow := turnstile.NewOrchestration[string, bool]("Flow")
	token := make(chan string, 1)
	env, err := embedded.New(turnstile.NewApp(
		ask.Implement(func(ctx context.Context, _ string) (bool, error) {
			token <- turnstile.ActivityInfo(ctx).CompletionToken
			return false, turnstile.ErrPending
		}),
		flow.Implement(func(ctx turnstile.Context, who string) (bool, error) { return ask.Call(ctx, who) }),
	))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()

	run, err := client.Start(ctx, env.Client(), flow, "Grace")
	if err != nil {
		fmt.Println(err)
	}
	if err := client.Complete(ctx, env.Client(), ask, <-token, true); err != nil {
		fmt.Println(err)
	}
	fmt.Println(run.Wait(ctx))
	stop()
	fmt.Println(<-ended)
	// Output:
	// true <nil>
	// <nil>
}
