// Package aws has the eight tasks as they are written with AWS's durable
// execution SDK for Go. It has no continue-as-new, and no change of version in
// the code: an execution ends on the version of the function that began it.
package aws

import (
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-durable-execution-sdk-go/durable"
)

var fetchRetry = durable.WithRetry(durable.MustNewRetryStrategy(durable.RetryConfig{
	MaxAttempts: 5, InitialDelay: time.Second}))

// What the steps call.
var (
	fetch        func(ctx durable.StepContext, url string) (int, error)
	cancel       func(ctx durable.StepContext, booking int) error
	askForAnswer func(ctx durable.StepContext, callbackID string) error
)

func anActivityWithARetry(ctx durable.Context, url string) (int, error) {
	return durable.Step(ctx, "fetch", func(ctx durable.StepContext) (int, error) {
		return fetch(ctx, url)
	}, fetchRetry)
}

func aFanOutWithALimit(ctx durable.Context, urls []string) ([]int, error) {
	all, err := durable.Map(ctx, "fetch all", urls, func(ctx durable.Context, url string, _ int) (int, error) {
		return anActivityWithARetry(ctx, url)
	}, durable.WithMaxConcurrency(10))
	return all.Results(), err
}

func anEventOrATimeout(ctx durable.Context, _ string) (string, error) {
	answer, err := durable.WaitForCallback[string](ctx, "go", askForAnswer,
		durable.WithCallbackTimeout(72*time.Hour), durable.WithCallbackSerdes(durable.JSONSerdes))
	if errors.Is(err, durable.ErrCallbackTimedOut) {
		return "expired", nil
	}
	return answer, err
}

func aChild(ctx durable.Context, url string) (int, error) {
	return durable.Invoke[int](ctx, "child", "retry:live", url)
}

func aSaga(ctx durable.Context, urls []string) (all []int, err error) {
	for _, url := range urls {
		booking, err := anActivityWithARetry(ctx, url)
		var failed *durable.StepError
		if errors.As(err, &failed) { // any other error may be the end of this invocation
			for _, booking := range slices.Backward(all) {
				_, undo := durable.Step(ctx, "cancel", func(ctx durable.StepContext) (durable.Void, error) {
					return durable.Void{}, cancel(ctx, booking)
				})
				if undo != nil {
					return nil, undo
				}
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, booking)
	}
	return all, nil
}
