package dbos

import (
	"context"
	"errors"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

// Order is what is paid for and shipped.
type Order struct {
	ID     string
	Amount int64
}

func charge(_ context.Context, o Order) (string, error) { return "receipt " + o.ID, nil }

func ship(_ context.Context, receipt string) (string, error) { return "parcel for " + receipt, nil }

func transfer(ctx dbos.Context, o Order) (string, error) {
	receipt, err := dbos.RunAsStep(ctx, func(ctx context.Context) (string, error) { return charge(ctx, o) })
	if err != nil {
		return "", err
	}
	_, err = dbos.Recv[string](ctx, "approved", 72*time.Hour)
	if errors.Is(err, dbos.ErrTimeout) {
		return "expired", nil
	}
	if err != nil {
		return "", err
	}
	return dbos.RunAsStep(ctx, func(ctx context.Context) (string, error) { return ship(ctx, receipt) })
}
