// Package temporal has the eight tasks as they are written with Temporal's Go SDK.
package temporal

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

var fetchOptions = workflow.ActivityOptions{StartToCloseTimeout: time.Minute,
	RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 5, InitialInterval: time.Second}}

// The activities. Fetch fails twice at first, and always at "bad".
type activities struct {
	tries     map[string]int
	cancelled []int
}

func (a *activities) Fetch(_ context.Context, url string) (int, error) {
	if a.tries[url]++; a.tries[url] < 3 || url == "bad" {
		return 0, errors.New("busy")
	}
	return len(url), nil
}

func (a *activities) Cancel(_ context.Context, booking int) error {
	a.cancelled = append(a.cancelled, booking)
	return nil
}

// Names the methods above; workflows call none of them.
var act *activities

func anActivityWithARetry(ctx workflow.Context, url string) (n int, err error) {
	ctx = workflow.WithActivityOptions(ctx, fetchOptions)
	err = workflow.ExecuteActivity(ctx, act.Fetch, url).Get(ctx, &n)
	return n, err
}

func aFanOutWithALimit(ctx workflow.Context, urls []string) ([]int, error) {
	ctx = workflow.WithActivityOptions(ctx, fetchOptions)
	all, limit := make([]int, len(urls)), workflow.NewSemaphore(ctx, 10)
	var failed error
	for i, url := range urls {
		if err := limit.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer limit.Release(1)
			failed = errors.Join(failed, workflow.ExecuteActivity(ctx, act.Fetch, url).Get(ctx, &all[i]))
		})
	}
	if err := limit.Acquire(ctx, 10); err != nil { // all have ended
		return nil, err
	}
	return all, failed
}

func anEventOrATimeout(ctx workflow.Context, _ string) (answer string, err error) {
	received, _ := workflow.GetSignalChannel(ctx, "go").ReceiveWithTimeout(ctx, 72*time.Hour, &answer)
	if !received && ctx.Err() == nil {
		return "expired", nil
	}
	return answer, ctx.Err()
}

func aChild(ctx workflow.Context, url string) (n int, err error) {
	err = workflow.ExecuteChildWorkflow(ctx, anActivityWithARetry, url).Get(ctx, &n)
	return n, err
}

func aContinueAsNew(ctx workflow.Context, n int) (int, error) {
	if err := workflow.Sleep(ctx, time.Hour); err != nil || n == 3 {
		return n, err
	}
	return 0, workflow.NewContinueAsNewError(ctx, aContinueAsNew, n+1)
}

func aSaga(ctx workflow.Context, urls []string) (all []int, err error) {
	ctx = workflow.WithActivityOptions(ctx, fetchOptions)
	defer func() {
		if err != nil {
			ctx, _ := workflow.NewDisconnectedContext(ctx)
			for _, booking := range slices.Backward(all) {
				err = errors.Join(err, workflow.ExecuteActivity(ctx, act.Cancel, booking).Get(ctx, nil))
			}
		}
	}()
	for _, url := range urls {
		var booking int
		if err := workflow.ExecuteActivity(ctx, act.Fetch, url).Get(ctx, &booking); err != nil {
			return all, err
		}
		all = append(all, booking)
	}
	return all, nil
}

func aVersionChange(ctx workflow.Context, url string) (n int, err error) {
	if workflow.GetVersion(ctx, "secure", workflow.DefaultVersion, 1) == 1 {
		url = "https://" + url
	}
	ctx = workflow.WithActivityOptions(ctx, fetchOptions)
	err = workflow.ExecuteActivity(ctx, act.Fetch, url).Get(ctx, &n)
	return n, err
}
