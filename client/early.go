package client

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// FireTimer fires an open timer of the current execution before it is due: a Sleep returns, a wait
// with a timeout times out. The history records that the timer was fired early, on whose behalf
// ([Client.WithActor]) and why. The clock does not jump: [turnstile.Now] after the timer returns
// the time at which it was fired. A suspended instance handles the timer when it is resumed.
//
// eventID is the event that created the timer ([Client.PendingOperations]). The call returns when the
// request is queued; if the timer fires by itself in the meantime, the request has no effect. If there
// is no such open timer, nothing is sent and the error is an [ErrNotWaiting] (wrapped), a
// [*NotFoundError] or an [*EndedError].
func (c *Client) FireTimer(ctx context.Context, instance string, eventID int64, reason string) error {
	item := wire.Item{Kind: wire.FireTimer, Instance: instance, SourceEventID: eventID, Reason: reason}
	return c.control(ctx, "fire_timer", item, func(ctx context.Context, item wire.Item) error {
		d, o, err := c.openOperation(ctx, instance, eventID, history.TimerCreated)
		if err != nil {
			return err
		}
		item.ExecutionID, item.ScheduledAtMS = d.ExecutionID, o.ScheduledAt.UnixMilli()
		return c.send(ctx, item)
	})
}

// OpenTimer returns the timer that [Client.FireTimer] would fire, and sends nothing. Errors are those
// of FireTimer.
func (c *Client) OpenTimer(ctx context.Context, instance string, eventID int64) (PendingOperation, error) {
	_, o, err := c.openOperation(ctx, instance, eventID, history.TimerCreated)
	return o, err
}

// RetryNow starts the next attempt of an activity that waits for its retry delay. The message of
// the scheduled retry still arrives, and has no effect because the attempt was made. An attempt
// that is due within ten seconds is left to start by itself. If the attempt completes the activity,
// the completion event in the history records on whose behalf the attempt was made
// ([Client.WithActor]); otherwise the state of the activity records it for two weeks. The
// orchestrator also logs it.
//
// eventID is the event that scheduled the activity ([Client.PendingOperations]). The call returns when
// the request is queued. If no attempt is known to wait, nothing is sent and the error is an
// [ErrNotWaiting] (wrapped), a [*NotFoundError], an [*EndedError] or [ErrNoActivities]. An inline
// activity waits for its retry with a timer, and so does the retry of a child: use [Client.FireTimer]
// for these.
func (c *Client) RetryNow(ctx context.Context, instance string, eventID int64) error {
	item := wire.Item{Kind: wire.RetryActivity, Instance: instance, SourceEventID: eventID}
	return c.control(ctx, "retry_now", item, func(ctx context.Context, item wire.Item) error {
		d, o, err := c.openOperation(ctx, instance, eventID, history.ActivityScheduled)
		if err != nil {
			return err
		}
		next, err := c.nextAttempt(ctx, instance, d.ExecutionID, eventID)
		if err != nil {
			return err
		}
		item.ExecutionID, item.ScheduledAtMS, item.Attempt = d.ExecutionID, o.ScheduledAt.UnixMilli(), next.Attempt
		return c.send(ctx, item)
	})
}

// NextAttempt returns the attempt that [Client.RetryNow] would start, and sends nothing. Errors are
// those of RetryNow.
func (c *Client) NextAttempt(ctx context.Context, instance string, eventID int64) (store.NextAttempt, error) {
	d, _, err := c.openOperation(ctx, instance, eventID, history.ActivityScheduled)
	if err != nil {
		return store.NextAttempt{}, err
	}
	return c.nextAttempt(ctx, instance, d.ExecutionID, eventID)
}

// nextAttempt returns the next attempt of an open activity that waits for its retry.
func (c *Client) nextAttempt(ctx context.Context, instance string, executionID, eventID int64) (store.NextAttempt, error) {
	state, err := c.ActivityState(ctx, store.ActivityKey{Instance: instance, ExecutionID: executionID, EventID: eventID})
	if err != nil {
		return store.NextAttempt{}, err
	}
	next := state.Next
	if made := activities.BarsDue(state.Claim.Token, next.DueAt.UnixMilli()); next.Attempt == 0 || made || !next.DueAt.After(c.cfg.Clock.Now()) {
		return next, fmt.Errorf("turnstile: no attempt of activity %d of instance %q is waiting for a retry: %w", eventID, instance, ErrNotWaiting)
	}
	return next, nil
}

// openOperation returns the open operation of this kind in the current execution, and the description
// of the instance.
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
			return d, o, fmt.Errorf("turnstile: event %d of instance %q is %s, not an open %s: %w", eventID, instance, o.Kind, what, ErrNotWaiting)
		default:
			return d, o, nil
		}
	}
	return d, PendingOperation{}, fmt.Errorf("turnstile: event %d of instance %q execution %d is not an open %s: %w", eventID, instance, d.ExecutionID, what, ErrNotWaiting)
}
