package aws

import (
	"errors"
	"time"

	"github.com/aws/aws-durable-execution-sdk-go/durable"
)

// Order is what is paid for and shipped.
type Order struct {
	ID     string
	Amount int64
}

// What the steps call.
var (
	charge         func(ctx durable.StepContext, o Order) (string, error)
	ship           func(ctx durable.StepContext, receipt string) (string, error)
	askForApproval func(ctx durable.StepContext, o Order, callbackID string) error
)

func transfer(ctx durable.Context, o Order) (string, error) {
	receipt, err := durable.Step(ctx, "charge", func(ctx durable.StepContext) (string, error) {
		return charge(ctx, o)
	})
	if err != nil {
		return "", err
	}
	_, err = durable.WaitForCallback[string](ctx, "approved", func(ctx durable.StepContext, callbackID string) error {
		return askForApproval(ctx, o, callbackID)
	}, durable.WithCallbackTimeout(72*time.Hour))
	if errors.Is(err, durable.ErrCallbackTimedOut) {
		return "expired", nil
	}
	if err != nil {
		return "", err
	}
	return durable.Step(ctx, "ship", func(ctx durable.StepContext) (string, error) {
		return ship(ctx, receipt)
	})
}
