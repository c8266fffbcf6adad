package client

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Suspend has an instance run no code before it is resumed. What comes for it (events,
// results of activities, timers, ends of children, a cancel) is recorded, and its code
// takes that in its order at the resume. Activities go on that were begun, and so do their
// retries. Terminate ends a suspended instance at once.
//
// The reason, for people, stands in the history and in [Description].Suspension. An
// instance that is suspended already stays suspended since then: one resume ends both.
//
// It returns when the request is queued. The instance stands still when that was taken,
// which is after what was queued ahead of it, and after the inline activities of the turn
// that takes it, for which there is time in its invocation. Errors as of [Client.Cancel].
func (c *Client) Suspend(ctx context.Context, instance, reason string) error {
	return c.control(ctx, "suspend", wire.Item{Kind: wire.SuspendInstance, Instance: instance, Reason: reason}, c.sendToRunning)
}

// Resume lets a suspended instance go on. Of one that is not suspended the request is
// recorded, and changes nothing.
//
// It returns when the request is queued. Errors as of [Client.Cancel].
func (c *Client) Resume(ctx context.Context, instance, reason string) error {
	return c.control(ctx, "resume", wire.Item{Kind: wire.ResumeInstance, Instance: instance, Reason: reason}, c.sendToRunning)
}

// Reschedule moves the time at which a scheduled instance begins, or at which a suspended
// one goes on by itself; a time in the past is at once. It never suspends an instance that
// runs: where that has begun when the request is taken, the request changes nothing.
//
// It returns when the request is queued. [ErrNotSuspended] (wrapped), [*NotFoundError] and
// [*EndedError], and nothing sent, where there is nothing to move;
// [*turnstile.InvalidArgumentError] for a time that cannot be sent, and for an instance that waits
// for its turn under a limit.
func (c *Client) Reschedule(ctx context.Context, instance string, at time.Time) error {
	ms, err := laterMS("Reschedule", at)
	if err != nil {
		return err
	}
	if ms == 0 {
		return &turnstile.InvalidArgumentError{Call: "Reschedule", Argument: "at", Problem: "is zero: give a time; Resume continues it at once"}
	}
	item := wire.Item{Kind: wire.SuspendInstance, Instance: instance, NotBeforeMS: ms}
	return c.control(ctx, "reschedule", item, func(ctx context.Context, item wire.Item) error {
		d, err := c.Describe(ctx, instance)
		switch {
		case err != nil:
			return err
		case d.Status.Terminal():
			return &EndedError{Instance: instance, Status: d.Status}
		case d.Suspension == nil:
			return fmt.Errorf("turnstile: instance %q is %s: %w; Suspend suspends it", instance, d.Status, ErrNotSuspended)
		case d.Suspension.LimitKey != "":
			return &turnstile.InvalidArgumentError{Call: "Reschedule", Argument: "instance", Problem: fmt.Sprintf("%q waits for its turn under the limit %q, and not for a time", instance, d.Suspension.LimitKey)}
		}
		item.ExecutionID, item.SchedulingEventID = d.ExecutionID, d.Suspension.EventID
		return c.send(ctx, item)
	})
}

// laterMS is a time as items have it; 0 for none.
func laterMS(call string, at time.Time) (int64, error) {
	if at.IsZero() {
		return 0, nil
	}
	// The years of EventBridge Scheduler end with 2199.
	if year := at.UTC().Year(); year < 1971 || year > 2199 {
		return 0, &turnstile.InvalidArgumentError{Call: call, Argument: "time", Problem: fmt.Sprintf("is in the year %d: it must be in the years 1971 to 2199", year)}
	}
	return at.UnixMilli(), nil
}
