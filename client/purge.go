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

// purge holds the options of a purge.
type purge struct{ force, children bool }

// Force lets [Client.Purge] purge a running instance: it sends a terminate with the reason "purged",
// followed by the purge. An instance whose history is corrupt is not terminated; the purge alone
// removes it.
func Force() PurgeOption { return force{} }

type force struct{}

func (force) applyToPurge(p *purge) { p.force = true }

// WithChildren makes [Client.Purge] purge the descendants of the instance first. An instance's
// children are the instances that any of its executions started and that name it as their parent;
// detached instances are not children. The call reads the histories of the whole family, and sends
// nothing if one of them still runs and [Force] is not given. The instance itself is purged last,
// so a call that failed halfway can safely be repeated.
func WithChildren() PurgeOption { return withChildren{} }

type withChildren struct{}

func (withChildren) applyToPurge(p *purge) { p.children = true }

// Purge deletes an ended instance. It soon disappears from Describe and List, and its histories are
// deleted at least an hour after its end. A tombstone remains and refuses every start under the id for
// 15 days ([*PurgedError]), which is longer than any message for the purged instance lives. To start
// again immediately, choose another id.
//
// If the instance has already been purged, the call deletes its histories an hour from now if they
// still exist: on AWS the schedule that deletes them can be lost (TimersLostAlarm).
//
// Errors: [*NotFoundError] if there is no record, [*StillRunningError] if the instance runs and [Force]
// is not given; nothing is sent then. With [Force], an error says which of the two messages may not
// have been sent; repeating the call is harmless.
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

// Descendants returns the descendants that [WithChildren] would purge with an instance: its children
// and their children, if they have a record. It reads the histories of all of them. For an instance
// that was already purged it returns none. Errors: [*NotFoundError]; an error if a history cannot be
// read.
func (c *Client) Descendants(ctx context.Context, instance string) ([]Description, error) {
	family, err := c.family(ctx, instance)
	if err != nil {
		return nil, err
	}
	return family[1:], nil
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
			// Both have the same id: the deduplication id includes the kind.
			end := item
			end.Kind, end.Force, end.Reason = wire.TerminateInstance, false, "purged"
			return c.sendAll(ctx, end, item)
		}
		return c.send(ctx, item)
	})
}

// family returns an instance and its descendants, parents before their children. For an instance that
// was already purged it returns only the instance.
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
		for execution := range parent.Executions() {
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
