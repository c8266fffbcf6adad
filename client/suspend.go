package client

import (
	"context"

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
