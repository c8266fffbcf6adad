package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile"
)

// shop is used by the activities, and prints their calls. A real one has clients of a bank and of a
// mail service.
type shop struct {
	say func(format string, args ...any)
	// declines reports whether the card of a bill is declined on this day.
	declines func(Bill) bool
}

func (s shop) activities() turnstile.Components {
	return turnstile.Components{Tax.Implement(s.tax), Charge.Implement(s.charge), SendReceipt.Implement(s.sendReceipt), Warn.Implement(s.warn)}
}

func (s shop) tax(_ context.Context, sub Subscription) (int, error) { return sub.Price / 5, nil }

// charge sends the bank a key, so that a repeated attempt does not charge twice.
func (s shop) charge(ctx context.Context, b Bill) (Receipt, error) {
	if s.declines(b) {
		s.say("%s's card is declined", b.Customer)
		return Receipt{}, turnstile.NonRetryable(turnstile.WithCode(errors.New("the card is declined"), "declined"))
	}
	s.say("%s pays %d cents for month %d", b.Customer, b.Amount, b.Month+1)
	return Receipt{Bill: b, ID: fmt.Sprintf("receipt-%.8s", turnstile.ActivityInfo(ctx).IdempotencyKey)}, nil
}

func (s shop) sendReceipt(_ context.Context, _ Receipt) (turnstile.None, error) {
	return turnstile.None{}, nil
}

func (s shop) warn(_ context.Context, w Warning) (turnstile.None, error) {
	s.say("%s is warned, for the %d. time", w.Customer, w.Number)
	return turnstile.None{}, nil
}
