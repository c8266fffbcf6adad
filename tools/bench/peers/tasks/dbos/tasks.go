// Package dbos has the eight tasks as they are written with DBOS's Go SDK. It has
// no continue-as-new: a workflow of DBOS is a loop for as long as it likes.
package dbos

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

var fetchRetry = []dbos.StepOption{dbos.WithStepMaxRetries(4), dbos.WithStepBaseInterval(time.Second)}

// Registered at the start of the process, with its limit.
var fetches dbos.Queue

// What the steps call; set by the tests.
var (
	fetch  func(ctx context.Context, url string) (int, error)
	cancel func(ctx context.Context, booking int) error
)

func anActivityWithARetry(ctx dbos.Context, url string) (int, error) {
	return dbos.RunAsStep(ctx, func(ctx context.Context) (int, error) {
		return fetch(ctx, url)
	}, fetchRetry...)
}

func aFanOutWithALimit(ctx dbos.Context, urls []string) (all []int, err error) {
	handles := make([]dbos.WorkflowHandle[int], len(urls))
	for i, url := range urls {
		if handles[i], err = dbos.RunWorkflow(ctx, anActivityWithARetry, url, dbos.WithQueue(fetches)); err != nil {
			return nil, err
		}
	}
	for _, handle := range handles {
		n, err := handle.GetResult()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func anEventOrATimeout(ctx dbos.Context, _ string) (string, error) {
	answer, err := dbos.Recv[string](ctx, "go", 72*time.Hour)
	if errors.Is(err, dbos.ErrTimeout) {
		return "expired", nil
	}
	return answer, err
}

func aChild(ctx dbos.Context, url string) (int, error) {
	child, err := dbos.RunWorkflow(ctx, anActivityWithARetry, url)
	if err != nil {
		return 0, err
	}
	return child.GetResult()
}

func aSaga(ctx dbos.Context, urls []string) (all []int, err error) {
	defer func() {
		if err != nil {
			for _, booking := range slices.Backward(all) {
				_, undo := dbos.RunAsStep(ctx, func(ctx context.Context) (bool, error) {
					return true, cancel(ctx, booking)
				})
				err = errors.Join(err, undo)
			}
		}
	}()
	for _, url := range urls {
		booking, err := anActivityWithARetry(ctx, url)
		if err != nil {
			return all, err
		}
		all = append(all, booking)
	}
	return all, nil
}

func aVersionChange(ctx dbos.Context, url string) (int, error) {
	secure, err := dbos.Patch(ctx, "secure")
	if err != nil {
		return 0, err
	}
	if secure {
		url = "https://" + url
	}
	return anActivityWithARetry(ctx, url)
}
