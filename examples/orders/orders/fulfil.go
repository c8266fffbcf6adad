package orders

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Orchestrations returns the orchestrations that the orchestrator process registers, and the event,
// the query and the update of Fulfil, so that the console knows their types.
func Orchestrations() []turnstile.Component {
	return []turnstile.Component{
		Fulfil.Implement(fulfil),
		Ship.Implement(ship),
		Remind.Implement(remind),
		Approved,
		Arrival,
		ChangeAddress,
	}
}

// fulfil processes an order from payment to parcel. If it fails, or is not approved, the completed
// steps are undone in reverse order.
func fulfil(ctx turnstile.Context, o Order) (Result, error) {
	var undo undoing
	arrives := arrival{address: o.Address}
	Arrival.Handle(ctx, arrives.estimate)
	ChangeAddress.Handle(ctx, arrives.acceptAddress, arrives.changeAddress)
	result, err := fulfilSteps(ctx, o, &undo, &arrives)
	if err == nil && result.Status == shipped {
		return result, nil
	}
	arrives.undone = true
	// With WithoutCancel this works even if the order was cancelled.
	if failed := undo.all(turnstile.WithoutCancel(ctx)); failed != nil {
		return Result{}, errors.Join(err, failed)
	}
	return result, err
}

const (
	shipped     = "shipped"
	notApproved = "not approved"
)

func fulfilSteps(ctx turnstile.Context, o Order, undo *undoing, arrives *arrival) (Result, error) {
	within, err := duration(o.ApproveWithin, 24*time.Hour)
	if err != nil {
		return Result{}, err
	}
	arrives.approval = within

	// Both start before the first is awaited. A cancel waits for them, because a bank that is asked
	// to stop may already have charged. A bank that answers after the last attempt may have charged
	// too: where that matters, add a refund that names the order before the charge.
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
		status(ctx, notApproved)
		return Result{Status: notApproved, By: approval.By}, nil
	}
	if err != nil {
		return Result{}, err
	}

	status(ctx, "shipping")
	arrives.approval, arrives.shipping = 0, true
	instance := turnstile.InstanceID(turnstile.Info(ctx).Instance + "/shipment")
	tracking, err := Ship.With(instance).Call(ctx, Shipment{OrderID: o.ID, Customer: o.Customer, Reservation: reservation, Address: arrives.address})
	if err != nil {
		return Result{}, fmt.Errorf("order %s: %w", o.ID, err)
	}
	status(ctx, shipped)
	return Result{Status: shipped, Charged: receipt.Amount, Tracking: &tracking, By: approval.By}, nil
}

// approve waits for the approval, and sends reminders until it arrives.
func approve(ctx turnstile.Context, o Order, within time.Duration) (Approval, error) {
	reminders, stop := turnstile.WithCancel(ctx)
	defer stop("decided")
	Remind.Start(reminders, Reminder{OrderID: o.ID, Every: o.RemindEvery})
	return Approved.WaitTimeout(ctx.WithLabel("approval"), within)
}

// undoing collects the compensations of completed steps.
type undoing struct {
	steps []func(turnstile.Context) error
}

func (u *undoing) add(step func(turnstile.Context) error) { u.steps = append(u.steps, step) }

// all runs the compensations in reverse order. If one fails, the others still run.
func (u *undoing) all(ctx turnstile.Context) error {
	var errs []error
	for i := len(u.steps) - 1; i >= 0; i-- {
		if err := u.steps[i](ctx); err != nil {
			errs = append(errs, fmt.Errorf("undoing: %w", err))
		}
	}
	return errors.Join(errs...)
}

// status shows the progress of the order, in describe and lists.
func status(ctx turnstile.Context, s string) {
	// A string always encodes.
	_ = Status.Set(ctx, s)
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
