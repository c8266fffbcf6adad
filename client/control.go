package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// Cancel asks an instance to stop: what it waits for returns a
// [*turnstile.CancelledError] with the reason, and its code decides what follows. It reaches children and
// running activities. Only the first cancel of an execution counts.
//
// It returns when the request is queued. [*EndedError], and nothing sent, if the
// instance has ended, [*NotFoundError] if it was purged; [ErrNoRecord], and sent all the same, if there is no
// record of it yet.
func (c *Client) Cancel(ctx context.Context, instance, reason string) error {
	return c.end(ctx, wire.CancelInstance, instance, reason)
}

// Terminate ends an instance without running its code, a stuck one too. It
// reaches children and running activities. It takes effect when it is recorded: after the
// messages that were queued before it, and after the inline activities that these start. From
// then on no process starts an inline activity, except as [Client.Suspend] says. Errors as of
// [Client.Cancel].
func (c *Client) Terminate(ctx context.Context, instance, reason string) error {
	return c.end(ctx, wire.TerminateInstance, instance, reason)
}

func (c *Client) end(ctx context.Context, kind wire.Kind, instance, reason string) error {
	operation := "cancel"
	if kind == wire.TerminateInstance {
		operation = "terminate"
	}
	return c.control(ctx, operation, wire.Item{Kind: kind, Instance: instance, Reason: reason}, c.sendToRunning)
}

// sendToRunning sends an item unless its instance has ended or was purged.
func (c *Client) sendToRunning(ctx context.Context, item wire.Item) error {
	d, err := c.Describe(ctx, item.Instance)
	missing, unknown := errors.AsType[*NotFoundError](err)
	switch {
	case unknown && missing.FreeAt.IsZero():
	case err != nil:
		return err
	case d.Status.Terminal():
		return &EndedError{Instance: item.Instance, Status: d.Status}
	}
	if err := c.send(ctx, item); err != nil {
		return err
	}
	if unknown {
		return fmt.Errorf("turnstile: %s for instance %q: %w", item.Kind, item.Instance, ErrNoRecord)
	}
	return nil
}

// Wake lets an instance try again: a stuck one, whose code was put right, or
// one whose messages were lost. Everything that it has open is sent again,
// which is harmless. An instance that has ended sends its end again to the parent that
// waits for it. [*NotFoundError], and nothing sent, if there is no record of it.
func (c *Client) Wake(ctx context.Context, instance string) error {
	return c.control(ctx, "wake", wire.Item{Kind: wire.Wake, Instance: instance}, func(ctx context.Context, item wire.Item) error {
		if _, err := c.Describe(ctx, instance); err != nil {
			return err
		}
		return c.send(ctx, item)
	})
}

// control does what a call does with its item. It gives it a random id, which
// tells it from another of equal content.
func (c *Client) control(ctx context.Context, operation string, item wire.Item, do func(context.Context, wire.Item) error) error {
	id, err := c.newID()
	if err != nil {
		return err
	}
	item.ID = id
	return c.intercepted(ctx, operation, item, nil, do)
}
