package temporal

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"
)

// Order is what is paid for and shipped.
type Order struct {
	ID     string
	Amount int64
}

// Charge and Ship are activities.
func Charge(_ context.Context, o Order) (string, error) { return "receipt " + o.ID, nil }

func Ship(_ context.Context, receipt string) (string, error) { return "parcel for " + receipt, nil }

func transfer(ctx workflow.Context, o Order) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var receipt, parcel string
	if err := workflow.ExecuteActivity(ctx, Charge, o).Get(ctx, &receipt); err != nil {
		return "", err
	}
	if ok, _ := workflow.GetSignalChannel(ctx, "approved").ReceiveWithTimeout(ctx, 72*time.Hour, nil); !ok {
		return "expired", ctx.Err()
	}
	err := workflow.ExecuteActivity(ctx, Ship, receipt).Get(ctx, &parcel)
	return parcel, err
}
