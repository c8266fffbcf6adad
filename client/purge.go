package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// PurgeOption is an option of [Client.Purge]: [Force], [WithChildren].
type PurgeOption interface{ applyToPurge(*purge) }

// purge is what is to be purged.
type purge struct{ force, children bool }

// Force lets [Client.Purge] take a running instance: it sends a terminate, with the reason
// "purged", and behind it the purge. An instance whose history is corrupt is not
// terminated; the purge alone removes it.
func Force() PurgeOption { return force{} }

type force struct{}

func (force) applyToPurge(p *purge) { p.force = true }

// WithChildren lets [Client.Purge] take the children of the instance first, and their
// children: those that any of its executions has started and that have it as their parent.
// Detached instances are not children. It reads the histories of the whole family, and sends
// nothing if one of them still runs and there is no [Force]. The instance itself comes last,
// so a call that fails in the middle is repeated, which is harmless.
func WithChildren() PurgeOption { return withChildren{} }

type withChildren struct{}

func (withChildren) applyToPurge(p *purge) { p.children = true }

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
	var p purge
	for _, o := range options {
		o.applyToPurge(&p)
	}
	if !p.children {
		return c.purge(ctx, instance, p.force)
	}
	family, err := c.family(ctx, instance)
	if err != nil {
		return err
	}
	for _, d := range family {
		if !p.force && !d.Status.Terminal() {
			return &StillRunningError{Instance: d.Instance, Status: d.Status}
		}
	}
	for i := len(family) - 1; i > 0; i-- {
		err := c.purge(ctx, family[i].Instance, p.force)
		if _, gone := errors.AsType[*NotFoundError](err); err != nil && !gone {
			return fmt.Errorf("turnstile: instance %q, a descendant of %q: %w", family[i].Instance, instance, err)
		}
	}
	return c.purge(ctx, instance, p.force)
}

func (c *Client) purge(ctx context.Context, instance string, force bool) error {
	item := wire.Item{Kind: wire.PurgeInstance, Instance: instance, Force: force}
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

// family returns an instance and what descends from it, parents ahead of their children.
// Of an instance that was purged already it returns that alone.
func (c *Client) family(ctx context.Context, instance string) ([]Description, error) {
	root, err := c.Describe(ctx, instance)
	if missing, unknown := errors.AsType[*NotFoundError](err); unknown && !missing.FreeAt.IsZero() {
		return []Description{{Instance: instance, Status: StatusTerminated}}, nil
	}
	if err != nil {
		return nil, err
	}
	all := []Description{root}
	seen := map[string]bool{instance: true}
	for i := 0; i < len(all); i++ {
		parent := all[i]
		for execution := parent.FirstExecution; execution <= parent.ExecutionID; execution++ {
			turns, _, err := c.read(ctx, parent, execution)
			if err != nil {
				return nil, fmt.Errorf("turnstile: the children of instance %q are not known, because its history cannot be read: %w", parent.Instance, err)
			}
			for _, t := range turns {
				for e := range t.Events {
					child := t.Events[e].Instance
					if t.Events[e].Kind != history.SubOrchestrationScheduled || seen[child] {
						continue
					}
					seen[child] = true
					d, err := c.Describe(ctx, child)
					if _, gone := errors.AsType[*NotFoundError](err); gone {
						continue
					}
					if err != nil {
						return nil, err
					}
					if d.Parent != nil && d.Parent.Instance == parent.Instance {
						all = append(all, d)
					}
				}
			}
		}
	}
	return all, nil
}
