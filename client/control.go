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
// reaches children and running activities. Errors as of [Client.Cancel].
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
// which is harmless. [*NotFoundError] and [*EndedError], and nothing sent, where
// there is nothing to wake.
func (c *Client) Wake(ctx context.Context, instance string) error {
	return c.control(ctx, "wake", wire.Item{Kind: wire.Wake, Instance: instance}, func(ctx context.Context, item wire.Item) error {
		d, err := c.Describe(ctx, instance)
		if err != nil {
			return err
		}
		if d.Status.Terminal() {
			return &EndedError{Instance: instance, Status: d.Status}
		}
		return c.send(ctx, item)
	})
}

// PurgeOption is an option of [Client.Purge]: [Force].
type PurgeOption interface{ applyToPurge(*wire.Item) }

// Force lets [Client.Purge] take a running instance: it sends a terminate, with the reason
// "purged", and behind it the purge. An instance whose history is corrupt is not
// terminated; the purge alone removes it.
func Force() PurgeOption { return force{} }

type force struct{}

func (force) applyToPurge(i *wire.Item) { i.Force = true }

// Purge removes an instance that has ended: from describe and lists soon, its
// histories no sooner than an hour after its end. An id lives once: what stays is a
// tombstone, which refuses every start for 15 days ([*PurgedError]), longer than any
// message for the purged instance lives. To begin anew at once, choose another id.
//
// Of an instance that has been purged already, the histories are deleted an hour from
// now, if that has not been done: on AWS the schedule that does it may be lost
// (TimersLostAlarm).
//
// [*NotFoundError] if there is no record;
// [*StillRunningError] if it runs and there is no [Force]; nothing is sent then. With
// [Force], an error says which of the two messages is not known to be sent: call again,
// which is harmless.
func (c *Client) Purge(ctx context.Context, instance string, options ...PurgeOption) error {
	item := wire.Item{Kind: wire.PurgeInstance, Instance: instance}
	for _, o := range options {
		o.applyToPurge(&item)
	}
	return c.control(ctx, "purge", item, func(ctx context.Context, item wire.Item) error {
		d, err := c.Describe(ctx, instance)
		missing, unknown := errors.AsType[*NotFoundError](err)
		switch {
		case unknown && !missing.FreeAt.IsZero():
			item.Force = false
			return c.send(ctx, item)
		case err != nil:
			return err
		}
		if d.Status.Terminal() {
			item.Force = false
		} else if !item.Force {
			return &StillRunningError{Instance: instance, Status: d.Status}
		}
		if item.Force {
			// They have one id: a deduplication id has the kind.
			end := item
			end.Kind, end.Force, end.Reason = wire.TerminateInstance, false, "purged"
			return c.sendAll(ctx, end, item)
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
