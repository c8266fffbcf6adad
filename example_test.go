package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// show runs one instance of an orchestration in virtual time and prints its outcome. during, if not
// nil, is called an hour after the start.
func show[In, Out any](flow turnstile.Orchestration[In, Out], in In, during func(*client.Client, *client.Run[Out]) error, parts ...turnstile.Component) {
	env, err := embedded.New(turnstile.NewApp(parts...), embedded.WithVirtualTime(epoch))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	run, err := client.Start(ctx, env.Client(), flow, in, client.WithInstanceID("example"))
	if err != nil {
		fmt.Println(err)
	}
	seen := make(chan struct{})
	if during == nil {
		close(seen)
	} else {
		env.AfterFunc(time.Hour, func() {
			defer close(seen)
			if err := during(env.Client(), run); err != nil {
				fmt.Println(err)
			}
		})
	}
	ended := make(chan error)
	go func() { ended <- env.Run(ctx) }()
	out, err := run.Wait(ctx)
	// Output that is printed when the run ends appears before the outcome.
	<-seen
	stop()
	if err := <-ended; err != nil {
		fmt.Println(err)
	}
	if err != nil {
		fmt.Println("failed:", err)
	} else {
		fmt.Println("completed:", out)
	}
}

// Declarations, implementations, an application, and a run of it in one
// process.
func Example() {
	greet := turnstile.NewActivity[string, string]("Greet")
	welcome := turnstile.NewOrchestration[string, string]("Welcome")

	app := turnstile.NewApp(
		greet.Implement(func(_ context.Context, name string) (string, error) { return "Hello, " + name + "!", nil }),
		welcome.Implement(func(ctx turnstile.Context, name string) (string, error) {
			if err := turnstile.Sleep(ctx, 30*24*time.Hour); err != nil {
				return "", err
			}
			return greet.Call(ctx, name)
		}),
	)
	env, err := embedded.New(app, embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()

	run, err := client.Start(ctx, env.Client(), welcome, "Ada")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Wait(ctx))

	stop()
	fmt.Println(<-ended)
	// Output:
	// Hello, Ada! <nil>
	// <nil>
}

// Two operations race; the loser is cancelled.
func ExampleSelect() {
	quote := turnstile.NewActivity[string, int]("Quote")
	buy := turnstile.NewOrchestration[string, string]("Buy")
	show(buy, "teapot", nil,
		quote.Implement(func(context.Context, string) (int, error) { return 3900, nil }),
		buy.Implement(func(ctx turnstile.Context, what string) (string, error) {
			price, timeout := quote.Start(ctx, what), turnstile.After(ctx, time.Minute)
			first, err := turnstile.Select(ctx, price, timeout)
			switch {
			case err != nil:
				return "", err
			case first == 1:
				return "nobody answered", nil
			}
			cents, err := price.Await(ctx)
			return fmt.Sprintf("%s for %d cents", what, cents), err
		}))
	// Output: completed: teapot for 3900 cents
}

// Several operations run concurrently.
func ExampleJoin() {
	square := turnstile.NewActivity[int, int]("Square")
	sum := turnstile.NewOrchestration[[]int, int]("Sum")
	show(sum, []int{1, 2, 3}, nil,
		square.Implement(func(_ context.Context, n int) (int, error) { return n * n, nil }),
		sum.Implement(func(ctx turnstile.Context, numbers []int) (int, error) {
			var futures []turnstile.Future[int]
			for _, n := range numbers {
				futures = append(futures, square.Start(ctx, n))
			}
			squares, err := turnstile.Join(ctx, futures...)
			total := 0
			for _, s := range squares {
				total += s
			}
			return total, err
		}))
	// Output: completed: 14
}

// An orchestration waits for a person to decide.
func ExampleEvent_WaitTimeout() {
	decision := turnstile.NewEvent[string]("decision")
	ask := turnstile.NewOrchestration[string, string]("Ask")
	code := ask.Implement(func(ctx turnstile.Context, question string) (string, error) {
		answer, err := decision.WaitTimeout(ctx, 24*time.Hour)
		if errors.Is(err, turnstile.ErrTimeout) {
			return question + " Nobody knows.", nil
		}
		return question + " " + answer, err
	})
	show(ask, "Ship it?", func(c *client.Client, run *client.Run[string]) error {
		return client.Raise(context.Background(), c, decision, run.Instance, "Yes.")
	}, code)
	show(ask, "Ship it?", nil, code)
	// Output:
	// completed: Ship it? Yes.
	// completed: Ship it? Nobody knows.
}

// Errors have types, and a code that the author has chosen.
func ExampleActivityError() {
	charge := turnstile.NewActivity[int, string]("Charge")
	buy := turnstile.NewOrchestration[int, string]("Buy")
	show(buy, 3900, nil,
		charge.Implement(func(context.Context, int) (string, error) {
			return "", turnstile.NonRetryable(turnstile.WithCode(errors.New("card declined"), "declined"))
		}),
		buy.Implement(func(ctx turnstile.Context, cents int) (string, error) {
			receipt, err := charge.Call(ctx, cents)
			if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok && failed.Code == "declined" {
				return fmt.Sprintf("%s said %q and would not try again", failed.Activity, failed.Message), nil
			}
			return receipt, err
		}))
	// Output: completed: Charge said "card declined" and would not try again
}

// Clean-up after a cancellation works in a WithoutCancel scope.
func ExampleWithoutCancel() {
	release := turnstile.NewActivity[string, string]("Release")
	rent := turnstile.NewOrchestration[string, string]("Rent")
	show(rent, "a boat", func(_ *client.Client, run *client.Run[string]) error {
		return run.Cancel(context.Background(), "it rains")
	},
		release.Implement(func(_ context.Context, what string) (string, error) {
			fmt.Println("released", what)
			return "", nil
		}),
		rent.Implement(func(ctx turnstile.Context, what string) (string, error) {
			err := turnstile.Sleep(ctx, 7*24*time.Hour)
			if errors.Is(err, turnstile.ErrCancelled) {
				if _, undo := release.Call(turnstile.WithoutCancel(ctx), what); undo != nil {
					return "", undo
				}
			}
			return "returned", err
		}))
	// Output:
	// released a boat
	// failed: orchestration "Rent" (instance "example") failed (cancelled): timer (event 2) was cancelled: it rains
}

// A loop that never ends continues as new to keep its history short.
func ExampleOrchestration_ContinueAsNew() {
	countdown := turnstile.NewOrchestration[int, string]("Countdown")
	show(countdown, 3, nil,
		countdown.Implement(func(ctx turnstile.Context, n int) (string, error) {
			if n == 0 {
				return fmt.Sprintf("execution %d lifts off", turnstile.Info(ctx).ExecutionID), nil
			}
			if err := turnstile.Sleep(ctx, time.Second); err != nil {
				return "", err
			}
			return "", countdown.ContinueAsNew(ctx, n-1)
		}))
	// Output: completed: execution 4 lifts off
}

// Nondeterministic values are recorded once.
func ExampleSideEffect() {
	roll := turnstile.NewOrchestration[int, string]("Roll")
	show(roll, 6, nil,
		roll.Implement(func(ctx turnstile.Context, sides int) (string, error) {
			n, err := turnstile.SideEffect(ctx, "die", func() (int, error) { return 4, nil /* chosen by fair dice roll */ })
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d of %d at %s", n, sides, turnstile.Now(ctx).Format(time.DateTime)), nil
		}))
	// Output: completed: 4 of 6 at 2030-01-01 00:00:00
}

// Many short steps run in the orchestration's own turn.
func ExampleActivity_Inline() {
	square := turnstile.NewActivity[int, int]("Square").With(turnstile.CommitEvery(100))
	sum := turnstile.NewOrchestration[int, int]("Sum")
	show(sum, 1000, nil,
		square.Implement(func(_ context.Context, n int) (int, error) { return n * n, nil }),
		sum.Implement(func(ctx turnstile.Context, upTo int) (int, error) {
			total := 0
			for n := 1; n <= upTo; n++ {
				s, err := square.Inline(ctx, n)
				if err != nil {
					return 0, err
				}
				total += s
			}
			return total, nil
		}))
	// Output: completed: 333833500
}
