package orders

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
)

type Order struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

// Histories contain these names: never change one that has been used.
var (
	Fulfil   = turnstile.NewOrchestration[Order, string]("Fulfil")
	Charge   = turnstile.NewActivity[Order, string]("Charge").With(steady, turnstile.AttemptTimeout(30*time.Second))
	Refund   = turnstile.NewActivity[string, turnstile.None]("Refund").With(steady)
	Ship     = turnstile.NewActivity[Order, string]("Ship").With(steady)
	Approved = turnstile.NewEvent[bool]("approved")
)

var steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, NonRetryableCodes: []string{"declined"}})

func fulfil(ctx turnstile.Context, o Order) (string, error) {
	receipt, err := Charge.Call(ctx, o)
	if err != nil {
		return "", err // the instance fails
	}
	var saga turnstile.Saga
	turnstile.Undo(&saga, "the charge", Refund.Call, receipt)
	parcel, err := approvedAndShipped(ctx, o)
	if err != nil {
		return "", saga.Compensate(ctx, err) // undoes the charge, and returns err
	}
	return parcel, nil
}

func approvedAndShipped(ctx turnstile.Context, o Order) (string, error) {
	yes, err := Approved.WaitTimeout(ctx, 72*time.Hour)
	switch {
	case errors.Is(err, turnstile.ErrTimeout), err == nil && !yes:
		return "", errors.New("not approved")
	case err != nil:
		return "", err
	}
	return Ship.Call(ctx, o)
}

func charge(ctx context.Context, o Order) (string, error) {
	if o.Amount > 1000 {
		return "", turnstile.WithCode(errors.New("the card was declined"), "declined")
	}
	// The key is the same for all attempts: pass it to the called service.
	return "receipt " + turnstile.ActivityInfo(ctx).IdempotencyKey, nil
}
