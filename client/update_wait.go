package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// UpdateStatus returns how far the update with that id has come. It reads the record of the instance and
// one item, and for an instance that has ended also histories if the update has no answer.
//
// Errors: [*NotFoundError], [*EndedError] for an instance that ended before it decided, [ErrNoStore]
// (wrapped) for a client that cannot read.
func (c *Client) UpdateStatus(ctx context.Context, instance, id string) (UpdateStatus, error) {
	return c.waitUpdate(ctx, instance, id, func(UpdateStage) bool { return true })
}

// WaitUpdate waits until the update with that id is answered or, with the stage UpdateAccepted, until
// the instance has decided about it. It reads one item 20 ms after the first read and then at intervals
// that grow to a second, and the record of the instance first and once a second.
//
// It also waits for an instance that has no record yet ([WithUpdate]).
//
// Errors: [*NotFoundError] for an instance that was purged, [*EndedError] for one that ended before it
// decided, [*UpdateWaitError] if the context ends first, [ErrNoStore] (wrapped) for a client that cannot read.
// Give the context a deadline.
func (c *Client) WaitUpdate(ctx context.Context, instance, id string, stage UpdateStage) (UpdateStatus, error) {
	return c.waitUpdate(ctx, instance, id, func(s UpdateStage) bool {
		return s.Answered() || s == UpdateAccepted && stage == UpdateAccepted
	})
}

// starting reports whether an instance was not found, and may have been sent its start.
func starting(err error) bool {
	missing, ok := errors.AsType[*NotFoundError](err)
	return ok && missing.FreeAt.IsZero()
}

const firstUpdatePause, longestUpdatePause = 20 * time.Millisecond, time.Second

func (c *Client) waitUpdate(ctx context.Context, instance, id string, enough func(UpdateStage) bool) (UpdateStatus, error) {
	none := UpdateStatus{}
	if err := errors.Join(validInstance(instance), validID("deduplication id", id)); err != nil {
		return none, err
	}
	if c.blind() {
		return none, fmt.Errorf("the update %q of instance %q was sent, but its answer cannot be read: %w; attach the policy for clients that read", id, instance, ErrNoStore)
	}
	s := UpdateStatus{Instance: instance, ID: id, Stage: UpdateSent}
	var d *Description
	since := time.Duration(0)
	for pause := firstUpdatePause; ; pause = min(pause+pause/2, longestUpdatePause) {
		// Get the channel before the read, so that no change is missed in between.
		var changed <-chan struct{}
		if c.cfg.Changed != nil {
			changed = c.cfg.Changed(instance)
		}
		if d == nil || changed != nil || since >= longestUpdatePause {
			r, err := c.Describe(ctx, instance)
			switch {
			case ctx.Err() != nil:
				return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
			case errors.Is(err, store.ErrUnavailable) && d != nil:
			case starting(err) && !enough(s.Stage):
				if !c.pause(ctx, pause, changed) {
					return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Err: ctx.Err()}
				}
				continue
			case err != nil:
				return none, err
			default:
				d, since = &r, 0
			}
		}
		found, err := c.readAnswer(ctx, d.StartID, s)
		switch {
		case ctx.Err() != nil:
			return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
		case errors.Is(err, store.ErrUnavailable) && !enough(UpdateSent):
			// The store throttled the read; the next one may succeed.
		case err != nil:
			return none, err
		default:
			s = found
		}
		if !s.Stage.Answered() && (d.Status.Terminal() || s.ExecutionID > 0 && s.ExecutionID < d.ExecutionID) {
			// The end was committed before its answers were put.
			if s, err = c.atEnd(ctx, d, s); err != nil {
				return none, err
			}
			if s.Stage == UpdateSent {
				return none, &EndedError{Instance: instance, Status: d.Status}
			}
		}
		if enough(s.Stage) {
			return s, nil
		}
		if !c.pause(ctx, pause, changed) {
			return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
		}
		since += pause
	}
}

// readAnswer reads the answer to an update. Without one it returns s.
func (c *Client) readAnswer(ctx context.Context, startID string, s UpdateStatus) (UpdateStatus, error) {
	a, err := c.cfg.Store.ReadAnswer(ctx, store.AnswerKey{Instance: s.Instance, StartID: startID, ID: s.ID})
	if errors.Is(err, store.ErrNoAnswer) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	events, err := c.cfg.Codecs.OpenEvents(s.Instance, a.ExecutionID, []history.Event{a.Event})
	if err != nil {
		return s, err
	}
	return s.at(a.ExecutionID, &events[0]), nil
}

// lookedBack is how many executions are searched for an update that has no answer.
const lookedBack = 10

// atEnd returns what the histories have about an update whose execution has ended: UpdateUnfinished if
// its handler did not return, UpdateSent if no execution decided about it.
func (c *Client) atEnd(ctx context.Context, d *Description, s UpdateStatus) (UpdateStatus, error) {
	last := d.ExecutionID
	if s.ExecutionID > 0 {
		last = s.ExecutionID
	}
	for n := last; n > max(last-lookedBack, 0); n-- {
		turns, _, err := c.read(ctx, *d, n)
		if err != nil {
			return s, err
		}
		if len(turns) == 0 && slices.Contains(d.Skipped, n) {
			continue
		}
		if len(turns) == 0 || turns[0].Events[0].Start != nil && turns[0].Events[0].Start.StartID != d.StartID {
			break
		}
		found := false
		for i := range turns {
			for j := range turns[i].Events {
				e := &turns[i].Events[j]
				if _, update := e.Update(); update && e.SenderID == s.ID && e.Kind != history.ExternalEvent {
					opened, err := c.cfg.Codecs.OpenEvents(s.Instance, n, []history.Event{*e})
					if err != nil {
						return s, err
					}
					s, found = s.at(n, &opened[0]), true
				}
			}
		}
		if found {
			break
		}
	}
	if s.Stage == UpdateAccepted {
		s.Stage = UpdateUnfinished
	}
	return s, nil
}
