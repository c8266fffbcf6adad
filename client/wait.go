package client

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Wait waits for the end of the instance and returns its description, with Status, and Output or
// Failure. It also waits for an instance that has no record yet.
//
// Errors: [*PurgedError] if the instance has been purged, [*WaitError] if the context ends first. Give
// the context a deadline.
func (c *Client) Wait(ctx context.Context, instance string) (Description, error) {
	return c.WaitUntil(ctx, instance, ended)
}

// WaitUntil waits until enough returns true for the instance, for example because it has set a
// state. It calls enough each time that the instance may have changed. It also waits for an
// instance that has no record yet.
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

// wait reads the instance until enough returns true. If StartID is not empty, the instance must come
// from that start; an end of the execution PreviousExecution is ignored.
func (c *Client) wait(ctx context.Context, of Started, enough func(*Description) bool) (*Description, error) {
	return c.waitAt(ctx, of, c.cfg.PollInterval, c.cfg.MaxPollInterval, enough)
}

// waitAt is wait with the first and the longest pause between two reads.
func (c *Client) waitAt(ctx context.Context, of Started, first, longest time.Duration, enough func(*Description) bool) (*Description, error) {
	instance := of.Instance
	if err := validInstance(instance); err != nil {
		return nil, err
	}
	var last *Description
	for pause := first; ; pause = min(pause+pause/2, longest) {
		// Get the channel before the read, so that no change is missed in between.
		var changed <-chan struct{}
		if c.cfg.Changed != nil {
			changed = c.cfg.Changed(instance)
		}
		r, err := c.cfg.Store.Describe(ctx, instance)
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && r.Free(c.cfg.Clock.Now()):
			// The instance has not started yet.
		case ctx.Err() != nil:
			return nil, &WaitError{Instance: instance, Last: last, Err: ctx.Err()}
		case errors.Is(err, store.ErrUnavailable):
			// The store throttled the read; the next one may succeed.
		case err != nil:
			return nil, err
		case r.Purged:
			return nil, &PurgedError{Instance: instance, FreeAt: r.FreeAt}
		case r.ExecutionID <= of.PreviousExecution:
			// It has not restarted yet.
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

// pause waits for the change, or for d if changes are not reported. It returns false if the context
// ended first.
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
