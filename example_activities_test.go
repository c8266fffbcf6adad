package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// An activity passes on its completion token, and another program completes the activity with it.
func ExampleErrPending() {
	ask := turnstile.NewActivity[string, bool]("Ask").With(turnstile.TotalTimeout(72 * time.Hour))
	request := turnstile.NewOrchestration[string, bool]("Request")
	var mail string // contains the token
	show(request, "a desk", func(c *client.Client, _ *client.Run[bool]) error {
		fmt.Println("first answer:", client.Complete(context.Background(), c, ask, mail, true))
		return nil
	},
		ask.Implement(func(ctx context.Context, _ string) (bool, error) {
			mail = turnstile.ActivityInfo(ctx).CompletionToken
			return false, turnstile.ErrPending
		}),
		request.Implement(func(ctx turnstile.Context, what string) (bool, error) { return ask.Call(ctx, what) }))
	// Output:
	// first answer: <nil>
	// completed: true
}

// The next attempt continues from the details of the last heartbeat.
func ExampleHeartbeat() {
	count := turnstile.NewActivity[int, int]("Count").With(
		turnstile.HeartbeatTimeout(time.Minute), turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3}))
	report := turnstile.NewOrchestration[int, int]("Report")
	show(report, 3, nil,
		count.Implement(func(ctx context.Context, pages int) (int, error) {
			page, _, err := turnstile.LastHeartbeat[int](ctx)
			if err != nil {
				return 0, err
			}
			fmt.Println("attempt", turnstile.ActivityInfo(ctx).Number, "starts after page", page)
			for page < pages {
				page++
				if err := turnstile.Heartbeat(ctx, page); err != nil {
					return 0, err
				}
				if page == 1 {
					return 0, errors.New("the connection broke")
				}
			}
			return page, nil
		}),
		report.Implement(func(ctx turnstile.Context, pages int) (int, error) { return count.Call(ctx, pages) }))
	// Output:
	// attempt 1 starts after page 0
	// attempt 2 starts after page 1
	// completed: 3
}

// A client can read a state while the orchestration waits.
func ExampleState() {
	type progress struct{ Step string }
	state := turnstile.NewState[progress]("progress")
	nightly := turnstile.NewOrchestration[string, string]("Import")
	show(nightly, "orders.csv", func(c *client.Client, run *client.Run[string]) error {
		shown, err := client.Get(context.Background(), c, state, run.Instance)
		fmt.Println("it is", shown.Value.Step)
		return err
	},
		nightly.Implement(func(ctx turnstile.Context, file string) (string, error) {
			if err := state.Set(ctx, progress{Step: "waiting for the night"}); err != nil {
				return "", err
			}
			return file + " is imported", turnstile.Sleep(ctx, 8*time.Hour)
		}))
	// Output:
	// it is waiting for the night
	// completed: orders.csv is imported
}

// Two versions are implemented: new instances run on the newest, and each instance stays on the
// version that it started with.
func ExampleVersion() {
	greet := turnstile.NewOrchestration[string, string]("Greet")
	both := turnstile.Components{
		greet.Implement(func(_ turnstile.Context, name string) (string, error) { return "Hello, " + name, nil }),
		greet.With(turnstile.Version("2")).Implement(func(ctx turnstile.Context, name string) (string, error) {
			return "Dear " + name + ", from version " + turnstile.Info(ctx).Version, nil
		}),
	}
	show(greet, "Ada", nil, both)
	// Output: completed: Dear Ada, from version 2
}

// The error of an activity decides whether another attempt follows.
func ExampleNonRetryable() {
	pay := turnstile.NewActivity[int, string]("Pay").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}))
	buy := turnstile.NewOrchestration[int, string]("Buy")
	show(buy, 2000, nil,
		pay.Implement(func(_ context.Context, cents int) (string, error) {
			if cents > 1000 {
				return "", turnstile.NonRetryable(turnstile.WithCode(errors.New("above the card's limit"), "declined"))
			}
			return "paid", nil
		}),
		buy.Implement(func(ctx turnstile.Context, cents int) (string, error) {
			receipt, err := pay.Call(ctx, cents)
			if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok && failed.Code == "declined" {
				return fmt.Sprintf("not bought after %d attempt: %s", failed.Attempt, failed.Message), nil
			}
			return receipt, err
		}))
	// Output: completed: not bought after 1 attempt: above the card's limit
}
