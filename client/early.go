package client

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// FireTimer fires an open timer of the current execution before it is due: a Sleep
// returns, a wait with a timeout runs out. The history says that it was fired early, for
// whom ([Client.WithActor]) and why. The clock does not move: code that asks
// [turnstile.Now] behind the timer gets the time at which it was fired. A suspended
// instance takes it at its resume.
//
// eventID is the event that created the timer ([Client.WaitingFor]). It returns when the
// request is queued; a timer that fires by itself meanwhile stays as it is.
// [ErrNotWaiting] (wrapped), [*NotFoundError] and [*EndedError], and nothing sent, where
// there is no such timer.
func (c *Client) FireTimer(ctx context.Context, instance string, eventID int64, reason string) error {
	item := wire.Item{Kind: wire.FireTimer, Instance: instance, SourceEventID: eventID, Reason: reason}
	return c.control(ctx, "fire_timer", item, func(ctx context.Context, item wire.Item) error {
		d, _, err := c.openOperation(ctx, instance, eventID, history.TimerCreated)
		if err != nil {
			return err
		}
		item.ExecutionID = d.ExecutionID
		return c.send(ctx, item)
	})
}

// OpenTimer returns the timer that [Client.FireTimer] would fire, and sends nothing. Errors
// are those of FireTimer.
func (c *Client) OpenTimer(ctx context.Context, instance string, eventID int64) (PendingOperation, error) {
	_, o, err := c.openOperation(ctx, instance, eventID, history.TimerCreated)
	return o, err
}

// openOperation returns an operation of this kind that is open in the current execution,
// and the instance.
func (c *Client) openOperation(ctx context.Context, instance string, eventID int64, kind history.Kind) (Description, PendingOperation, error) {
	d, err := c.Describe(ctx, instance)
	switch {
	case err != nil:
		return d, PendingOperation{}, err
	case d.Status.Terminal():
		return d, PendingOperation{}, &EndedError{Instance: instance, Status: d.Status}
	}
	turns, _, err := c.read(ctx, d, 0)
	if err != nil {
		return d, PendingOperation{}, err
	}
	what := map[history.Kind]string{history.TimerCreated: "timer"}[kind]
	for _, o := range openOperations(turns) {
		switch {
		case o.EventID != eventID:
		case o.Kind != kind:
			return d, o, fmt.Errorf("turnstile: event %d of instance %q is %s and no %s: %w", eventID, instance, o.Kind, what, ErrNotWaiting)
		default:
			return d, o, nil
		}
	}
	return d, PendingOperation{}, fmt.Errorf("turnstile: event %d of instance %q execution %d is no open %s: %w", eventID, instance, d.ExecutionID, what, ErrNotWaiting)
}
