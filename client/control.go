package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// Cancel asks an instance to stop: the operation that the instance waits for returns a
// [*turnstile.CancelledError] with the reason, and the instance's code decides what to do. Its
// children and running activities are cancelled too. Only the first cancel of an execution has an
// effect.
//
// It returns when the request is queued. Errors: [*EndedError] if the instance has ended and
// [*NotFoundError] if it was purged, with nothing sent; [ErrNoRecord] if it has no record yet (the
// request was sent).
func (c *Client) Cancel(ctx context.Context, instance, reason string) error {
	return c.end(ctx, wire.CancelInstance, instance, reason)
}

// Terminate ends an instance without running its code, even if it is stuck. Its children are
// terminated and its running activities are cancelled. The request takes effect when it is
// recorded: after the messages that were queued earlier, and after the inline activities that those
// messages start. From then on no process starts an inline activity, with the exception that
// [Client.Suspend] describes. Errors are those of [Client.Cancel].
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

// Wake makes an instance try again: a stuck instance whose code was fixed, or an instance whose
// messages were lost. All its open operations are sent again, which is harmless. An ended instance
// sends its result again to the parent that waits for it. Error: [*NotFoundError] if it has no
// record, with nothing sent.
func (c *Client) Wake(ctx context.Context, instance string) error {
	return c.control(ctx, "wake", wire.Item{Kind: wire.Wake, Instance: instance}, func(ctx context.Context, item wire.Item) error {
		if _, err := c.Describe(ctx, instance); err != nil {
			return err
		}
		return c.send(ctx, item)
	})
}

// control runs a call with its item. It gives the item a random id, which distinguishes the item
// from other items with the same content.
func (c *Client) control(ctx context.Context, operation string, item wire.Item, do func(context.Context, wire.Item) error) error {
	id, err := c.newID()
	if err != nil {
		return err
	}
	item.ID = id
	return c.intercepted(ctx, operation, item, nil, do)
}
