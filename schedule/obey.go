package schedule

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/coordination"
)

// obey executes a command. The caller has checked it; repeating a command has no further effect.
func (r *runner) obey(ctx turnstile.Context, c *command) error {
	switch {
	case c.Op == opCreate && !r.Deleted, c.Op == opUpdate && !r.Deleted && c.Definition != nil && c.Definition.same(&r.Definition):
		return nil
	}
	r.changed = true
	r.Revision++
	if r.Deleted && c.Op != opCreate && c.Op != opUpdate {
		return nil
	}
	switch c.Op {
	case opCreate, opUpdate:
		return r.update(ctx, c)
	case opPause:
		r.Paused, r.Note = true, c.Note
		return r.plan(ctx)
	case opResume:
		if r.Note = c.Note; !r.Paused {
			return nil
		}
		r.Paused = false
		if err := r.plan(ctx); err != nil {
			return err
		}
		return r.next(ctx)
	case opDelete:
		r.Deleted, r.Paused, r.Note = true, false, c.Note
		r.unbuffer()
		return r.plan(ctx)
	case opTrigger:
		now := turnstile.Now(ctx)
		return r.start(ctx, now, Run{ScheduledAt: now, Instance: triggerID(r.Definition.Name, c.ID)})
	case opBackfill:
		return r.backfill(ctx, c.Times)
	}
	return nil // A newer build sent a command that this one does not know.
}

// update changes the definition. A run of the old definition that is due starts first; runs that wait
// for a running instance, or for their jitter, are dropped. A deleted schedule starts again.
func (r *runner) update(ctx turnstile.Context, c *command) error {
	if c.Definition == nil {
		return nil
	}
	if now := turnstile.Now(ctx); !r.Next.IsZero() && !r.Next.After(now) {
		armed := r.started
		if err := r.startDue(ctx); err != nil {
			return err
		}
		r.started = armed // Its timer has not fired; plan cancels it.
		if err := r.giveUp(ctx, now); err != nil {
			return err
		}
	}
	r.unbuffer()
	r.Definition, r.Deleted, r.Note = *c.Definition, false, c.Note
	if r.Definition.Overlap == Allow {
		// The instances continue, and the schedule no longer waits for them.
		r.Running, r.children = nil, nil
	}
	return r.plan(ctx)
}

// giveUp counts as missed each scheduled time up to now that has not been processed. Some may be
// left because one wake-up processes only a limited number, and because jitter delays the newest.
func (r *runner) giveUp(ctx turnstile.Context, now time.Time) error {
	if r.Next.IsZero() || r.Next.After(now) {
		return nil
	}
	left, err := turnstile.SideEffect(ctx, "runs given up", func() (Span, error) {
		return r.scheduledTimes().span(r.Next, now), nil
	})
	if err == nil {
		left.Reason = ReasonDeleted
		r.missed(left)
	}
	return err
}

// unbuffer drops the waiting runs.
func (r *runner) unbuffer() {
	for _, scheduled := range slices.Concat(r.Buffered, r.Backfilling) {
		r.missed(Span{From: scheduled, To: scheduled, Runs: 1, Reason: ReasonDeleted})
	}
	r.Buffered, r.Backfilling = nil, nil
}

// backfill adds the runs of a backfill to the waiting runs. A run that already waits for the running
// instance to be cancelled becomes a backfilled run, because the next scheduled time would drop it.
func (r *runner) backfill(ctx turnstile.Context, scheduledTimes []time.Time) error {
	for _, scheduled := range scheduledTimes {
		if r.Definition.Overlap == CancelRunning || r.Definition.Overlap == TerminateRunning {
			r.Buffered = slices.DeleteFunc(r.Buffered, scheduled.Equal)
		}
		switch {
		case r.knows(scheduled):
		case len(r.Backfilling) >= coordination.MaxBackfill:
			r.missed(Span{From: scheduled, To: scheduled, Runs: 1, Reason: ReasonBufferFull})
		default:
			r.Backfilling = append(r.Backfilling, scheduled)
		}
	}
	return r.next(ctx)
}

// triggerID returns the id of the instance that a trigger starts.
func triggerID(name, call string) string { return coordination.StartedPrefix(name) + "trigger-" + call }
