package client

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Wait waits for the end of the instance and returns how it ended: Status
// says how, Output and Failure what came of it. An instance that has no record
// yet is waited for too.
//
// Errors: [*PurgedError] if the instance has been purged, [*WaitError] if the
// context ends first. Give the context a deadline.
func (c *Client) Wait(ctx context.Context, instance string) (Description, error) {
	return c.WaitUntil(ctx, instance, ended)
}

// WaitUntil waits until enough returns true for the instance, which it is given each time that the
// instance may have changed: to wait for a custom status, say. An instance that has no record yet is
// waited for too.
//
// Errors: those of [Client.Wait]. Give the context a deadline.
func (c *Client) WaitUntil(ctx context.Context, instance string, enough func(*Description) bool) (Description, error) {
	d, err := c.wait(ctx, Started{Instance: instance}, enough)
	if err != nil {
		return Description{}, err
	}
	return *d, nil
}

func ended(d *Description) bool { return d.Status.Terminal() }

// wait looks at the instance until enough says so. StartID, if not empty, is
// the start that the instance must come from; what ended with the execution After is not
// what is waited for.
func (c *Client) wait(ctx context.Context, of Started, enough func(*Description) bool) (*Description, error) {
	instance := of.Instance
	if err := validInstance(instance); err != nil {
		return nil, err
	}
	var last *Description
	for pause := c.cfg.PollInterval; ; pause = min(pause+pause/2, c.cfg.MaxPollInterval) {
		// Asked for before the look, so that no change falls in between.
		var changed <-chan struct{}
		if c.cfg.Changed != nil {
			changed = c.cfg.Changed(instance)
		}
		r, err := c.cfg.Store.Describe(ctx, instance)
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && r.Free(c.cfg.Clock.Now()):
			// Not started yet.
		case ctx.Err() != nil:
			return nil, &WaitError{Instance: instance, Last: last, Err: ctx.Err()}
		case errors.Is(err, store.ErrUnavailable):
			// Throttled: the next look may do better.
		case err != nil:
			return nil, err
		case r.Purged:
			return nil, &PurgedError{Instance: instance, FreeAt: r.FreeAt}
		case r.ExecutionID <= of.After:
			// It has not begun again yet.
		case of.StartID != "" && r.StartID != of.StartID:
			return nil, alreadyExists(&r)
		default:
			last = c.describe(&r)
			if enough(last) {
				return last, nil
			}
		}
		if !c.pause(ctx, pause, changed) {
			return nil, &WaitError{Instance: instance, Last: last, Err: ctx.Err()}
		}
	}
}

// pause waits for the change, or for d where nobody tells of changes; false if
// the context ended first.
func (c *Client) pause(ctx context.Context, d time.Duration, changed <-chan struct{}) bool {
	if changed == nil {
		tick := make(chan struct{})
		stop := c.cfg.Clock.AfterFunc(d, func() { close(tick) })
		defer stop()
		changed = tick
	}
	select {
	case <-ctx.Done():
		return false
	case <-changed:
		return true
	}
}
