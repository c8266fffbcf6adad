package client

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Suspend makes an instance run no code until it is resumed. Everything that arrives for it (events, results of
// activities, timers, ends of children, a cancel) is recorded, and the code processes it in order after the resume.
// Activities that have started continue, and so do their retries. Terminate ends a suspended instance immediately.
//
// The history and [Description].Suspension show the reason. If the instance is already suspended,
// it counts as suspended since the first call, one resume ends both suspensions, and Suspension has
// the reason and actor of the last call.
//
// Suspend returns when the request is queued. It takes effect when it is recorded: after the messages
// that were queued before it, and after the inline activities that these messages start, as far as
// the invocation has time for them. From then on no process starts an inline activity, with one exception: a duplicate
// invocation of an earlier turn repeats one under its idempotency key. Errors are those of
// [Client.Cancel].
func (c *Client) Suspend(ctx context.Context, instance, reason string) error {
	return c.control(ctx, "suspend", wire.Item{Kind: wire.SuspendInstance, Instance: instance, Reason: reason}, c.sendToRunning)
}

// Resume continues a suspended instance. If the instance is not suspended, the request is recorded and
// changes nothing.
//
// It returns when the request is queued. Errors are those of [Client.Cancel].
func (c *Client) Resume(ctx context.Context, instance, reason string) error {
	return c.control(ctx, "resume", wire.Item{Kind: wire.ResumeInstance, Instance: instance, Reason: reason}, c.sendToRunning)
}

// Reschedule changes the time at which a scheduled instance starts, or at which a suspended one
// continues by itself; a time in the past means immediately. It never suspends a running instance: if
// the instance has started by the time the request is processed, the request changes nothing.
//
// It returns when the request is queued. Errors, with nothing sent: [ErrNotSuspended] (wrapped), [*NotFoundError] and
// [*EndedError] if there is nothing to reschedule; [*turnstile.InvalidArgumentError] for an invalid time, and for an
// instance that waits for a permit of a limit.
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
			return &turnstile.InvalidArgumentError{Call: "Reschedule", Argument: "instance", Problem: fmt.Sprintf("%q waits for a permit of the limit %q, not for a time", instance, d.Suspension.LimitKey)}
		}
		item.ExecutionID, item.SchedulingEventID, item.ScheduledAtMS = d.ExecutionID, d.Suspension.EventID, d.Suspension.SinceMS
		return c.send(ctx, item)
	})
}

// laterMS returns a time as messages hold it, in milliseconds; 0 for the zero time.
func laterMS(call string, at time.Time) (int64, error) {
	if at.IsZero() {
		return 0, nil
	}
	// EventBridge Scheduler accepts no year after 2199.
	if year := at.UTC().Year(); year < 1971 || year > 2199 {
		return 0, &turnstile.InvalidArgumentError{Call: call, Argument: "time", Problem: fmt.Sprintf("is in the year %d: it must be in the years 1971 to 2199", year)}
	}
	return at.UnixMilli(), nil
}
