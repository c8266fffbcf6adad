package orders

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Orchestrations returns what the process that runs orchestrations registers, and the
// event that they wait for, so that its type is known in forms.
func Orchestrations() []turnstile.Part {
	return []turnstile.Part{
		Fulfil.Implement(fulfil),
		Ship.Implement(ship),
		Remind.Implement(remind),
		Approved,
	}
}

// fulfil takes an order from payment to parcel. If it fails, or is not
// approved, what was done is undone, last first.
func fulfil(ctx turnstile.Context, o Order) (Result, error) {
	var undo undoing
	result, err := fulfilSteps(ctx, o, &undo)
	if err == nil && result.Status == shipped {
		return result, nil
	}
	// In a shielded scope this works even if the order was cancelled.
	if failed := undo.all(turnstile.WithoutCancel(ctx)); failed != nil {
		return Result{}, errors.Join(err, failed)
	}
	return result, err
}

const (
	shipped     = "shipped"
	notApproved = "not approved"
)

func fulfilSteps(ctx turnstile.Context, o Order, undo *undoing) (Result, error) {
	within, err := duration(o.ApproveWithin, 24*time.Hour)
	if err != nil {
		return Result{}, err
	}

	// Both are under way before the first is awaited. A cancel waits for them, because a bank
	// that is asked to stop may have charged. A bank that answers after the last attempt may have
	// charged too: where that matters, a refund names the order and is added before the charge.
	status(ctx, "reserving and charging")
	shielded := turnstile.WithoutCancel(ctx)
	stock, payment := ReserveStock.Start(shielded, o), Charge.Start(shielded, o)
	reservation, stockErr := stock.Await(shielded)
	if stockErr == nil {
		undo.add(func(ctx turnstile.Context) error {
			_, err := ReleaseStock.Call(ctx, reservation)
			return err
		})
	}
	receipt, paymentErr := payment.Await(shielded)
	if paymentErr == nil {
		undo.add(func(ctx turnstile.Context) error {
			_, err := Refund.Call(ctx, receipt)
			return err
		})
	}
	if err := errors.Join(stockErr, paymentErr); err != nil {
		return Result{}, fmt.Errorf("order %s: %w", o.ID, err)
	}

	status(ctx, "waiting for approval")
	approval, err := approve(ctx, o, within)
	if errors.Is(err, turnstile.ErrTimeout) || err == nil && !approval.Approved {
		return Result{Status: notApproved, By: approval.By}, nil
	}
	if err != nil {
		return Result{}, err
	}

	status(ctx, "shipping")
	instance := turnstile.InstanceID(turnstile.Info(ctx).Instance + "/shipment")
	tracking, err := Ship.With(instance).Call(ctx, Shipment{OrderID: o.ID, Customer: o.Customer, Reservation: reservation})
	if err != nil {
		return Result{}, fmt.Errorf("order %s: %w", o.ID, err)
	}
	status(ctx, shipped)
	return Result{Status: shipped, Charged: receipt.Amount, Tracking: &tracking, By: approval.By}, nil
}

// approve waits for the approval, with reminders going out until it is there.
func approve(ctx turnstile.Context, o Order, within time.Duration) (Approval, error) {
	reminders, stop := turnstile.WithCancel(ctx)
	defer stop("decided")
	Remind.Start(reminders, Reminder{OrderID: o.ID, Every: o.RemindEvery})
	return Approved.WaitTimeout(ctx.WithLabel("approval"), within)
}

// undoing is what to do when a later step fails.
type undoing struct {
	steps []func(turnstile.Context) error
}

func (u *undoing) add(step func(turnstile.Context) error) { u.steps = append(u.steps, step) }

// all undoes everything, last first. A step that fails does not keep the
// others from being undone.
func (u *undoing) all(ctx turnstile.Context) error {
	var errs []error
	for i := len(u.steps) - 1; i >= 0; i-- {
		if err := u.steps[i](ctx); err != nil {
			errs = append(errs, fmt.Errorf("undoing: %w", err))
		}
	}
	return errors.Join(errs...)
}

// status shows where the order is, in describe and lists.
func status(ctx turnstile.Context, s string) {
	// A string always encodes.
	_ = turnstile.SetCustomStatus(ctx, s)
}

func duration(s string, fallback time.Duration) (time.Duration, error) {
	if s == "" {
		return fallback, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, turnstile.WithCode(fmt.Errorf("%q is no duration such as \"90s\" or \"24h\": %w", s, err), "bad_duration")
	}
	return d, nil
}
