package client

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
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

// RetryNow has the attempt of an activity made that waits for the delay of its retry. The
// message by which it is due comes all the same, and finds it made. An attempt that is due
// within ten seconds begins by itself. For whom it was made ([Client.WithActor]) stands in
// the history, with the completion of the activity, if the attempt ends that; otherwise with
// the attempt, for two weeks. A line of the orchestrator's log says it too.
//
// eventID is the event that scheduled the activity ([Client.WaitingFor]). It returns when the
// request is queued. An inline activity waits for its retry by a timer, and so does a child
// that is retried: [Client.FireTimer]. [ErrNotWaiting] (wrapped), [*NotFoundError],
// [*EndedError] and [ErrNoActivities], and nothing sent, where no attempt is known to wait.
func (c *Client) RetryNow(ctx context.Context, instance string, eventID int64) error {
	item := wire.Item{Kind: wire.RetryActivity, Instance: instance, SourceEventID: eventID}
	return c.control(ctx, "retry_now", item, func(ctx context.Context, item wire.Item) error {
		d, next, err := c.nextAttempt(ctx, instance, eventID)
		if err != nil {
			return err
		}
		item.ExecutionID, item.Attempt = d.ExecutionID, next.Attempt
		return c.send(ctx, item)
	})
}

// NextAttempt returns the attempt that [Client.RetryNow] would have made, and sends nothing.
// Errors are those of RetryNow.
func (c *Client) NextAttempt(ctx context.Context, instance string, eventID int64) (store.NextAttempt, error) {
	_, next, err := c.nextAttempt(ctx, instance, eventID)
	return next, err
}

func (c *Client) nextAttempt(ctx context.Context, instance string, eventID int64) (Description, store.NextAttempt, error) {
	d, _, err := c.openOperation(ctx, instance, eventID, history.ActivityScheduled)
	if err != nil {
		return d, store.NextAttempt{}, err
	}
	state, err := c.ActivityState(ctx, store.ActivityKey{Instance: instance, ExecutionID: d.ExecutionID, EventID: eventID})
	if err != nil {
		return d, store.NextAttempt{}, err
	}
	next := state.Next
	if made := activities.BarsDue(state.Claim.Token, next.DueAt.UnixMilli()); next.Attempt == 0 || made || !next.DueAt.After(c.cfg.Clock.Now()) {
		return d, next, fmt.Errorf("turnstile: no attempt of activity %d of instance %q is known to wait for a retry: %w", eventID, instance, ErrNotWaiting)
	}
	return d, next, nil
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
	what := map[history.Kind]string{history.TimerCreated: "timer", history.ActivityScheduled: "activity"}[kind]
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
