package main

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
)

// orchestrations returns both versions. A month that started on the old version ends on it. The
// next month starts with ContinueAsNew, so it runs on the newest version.
func orchestrations() turnstile.Components {
	return turnstile.Components{
		Subscribe.Implement(subscribe),
		Subscribe.With(turnstile.Version("2")).Implement(subscribeWithTax),
	}
}

// subscribe is the first version, without tax.
func subscribe(ctx turnstile.Context, s Subscription) (Summary, error) {
	return month(ctx, s, s.Price)
}

// subscribeWithTax is version 2.
func subscribeWithTax(ctx turnstile.Context, s Subscription) (Summary, error) {
	tax, err := Tax.Call(ctx, s)
	if err != nil {
		return Summary{}, err
	}
	return month(ctx, s, s.Price+tax)
}

// month bills one month and waits for its end. Each month is an execution of its own, so the
// history stays short, however long the subscription lasts.
func month(ctx turnstile.Context, s Subscription, amount int) (Summary, error) {
	next := monthAfter(turnstile.Now(ctx))
	bill := Bill{Customer: s.Customer, Month: s.Month, Amount: amount}
	receipt, err := collect(ctx, bill)
	switch {
	case errors.Is(err, errUnpaid):
		return Summary{Ended: "unpaid", Months: s.Month, Paid: s.Paid}, nil
	case err != nil:
		return Summary{}, err
	}
	s.Paid += amount
	s.Month++

	// Months that were running when receipts were added do not send one: their histories have no
	// such event. Replace Patched by PatchRetired when those months are over.
	if turnstile.Patched(ctx, "receipts") {
		if _, err := SendReceipt.Call(ctx, receipt); err != nil {
			return Summary{}, err
		}
	}

	cancelled, err := untilOver(ctx, &s, next.Sub(turnstile.Now(ctx))) // dunning may have taken some days
	switch {
	case err != nil:
		return Summary{}, err
	case cancelled:
		return Summary{Ended: "cancelled", Months: s.Month, Paid: s.Paid}, nil
	case s.Month == s.Months:
		return Summary{Ended: "over", Months: s.Month, Paid: s.Paid}, nil
	}
	return Summary{}, Subscribe.ContinueAsNew(ctx, s)
}

// monthAfter returns the same day of the next month, or that month's last day if it is shorter.
func monthAfter(t time.Time) time.Time {
	next := t.AddDate(0, 1, 0)
	if next.Day() != t.Day() {
		next = next.AddDate(0, 0, -next.Day())
	}
	return next
}

var errUnpaid = errors.New("unpaid")

// collect charges the customer. If the card is declined, it sends a warning and tries again after
// three days, up to three times.
func collect(ctx turnstile.Context, b Bill) (Receipt, error) {
	for warnings := 0; ; {
		receipt, err := Charge.Call(ctx, b)
		failed, ok := errors.AsType[*turnstile.ActivityError](err)
		if !ok || failed.Code != "declined" {
			return receipt, err
		}
		if warnings == 3 {
			return Receipt{}, errUnpaid
		}
		warnings++
		if _, err := Warn.Call(ctx, Warning{Bill: b, Number: warnings}); err != nil {
			return Receipt{}, err
		}
		if err := turnstile.Sleep(ctx.WithLabel("time to pay"), 3*24*time.Hour); err != nil {
			return Receipt{}, err
		}
	}
}

// untilOver waits for the end of the month and applies changes in the meantime.
func untilOver(ctx turnstile.Context, s *Subscription, left time.Duration) (cancelled bool, err error) {
	scope, done := turnstile.WithTimeout(ctx, left)
	for change, err := range Changed.All(scope) {
		switch {
		case errors.Is(err, turnstile.ErrTimeout):
			return false, nil
		case err != nil:
			return false, err
		case change.Cancel:
			done("the customer has cancelled")
			return true, nil
		}
		if change.Plan != "" {
			s.Plan = change.Plan
		}
		if change.Price > 0 {
			s.Price = change.Price
		}
	}
	return false, scope.Err()
}
