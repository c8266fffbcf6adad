package schedule

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/scheduling"
)

// obey does what the schedule is asked for. The caller has checked it; a repeat changes
// nothing that is so already.
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
		return r.start(ctx, now, Run{Tick: now, Instance: triggerID(r.Definition.Name, c.ID)})
	case opBackfill:
		return r.backfill(ctx, c.Ticks)
	}
	return nil // A newer build asks for something that this one does not know.
}

// update takes another definition. A tick of the old one that is due is taken before; those that
// wait for a running instance, or for their jitter, do not start. A deleted schedule begins anew.
func (r *runner) update(ctx turnstile.Context, c *command) error {
	if c.Definition == nil {
		return nil
	}
	if now := turnstile.Now(ctx); !r.Next.IsZero() && !r.Next.After(now) {
		armed := r.started
		if err := r.tick(ctx); err != nil {
			return err
		}
		r.started = armed // Its timer has not fired, and plan cancels it.
		if err := r.giveUp(ctx, now); err != nil {
			return err
		}
	}
	r.unbuffer()
	r.Definition, r.Deleted, r.Note = *c.Definition, false, c.Note
	if r.Definition.Overlap == Allow {
		// They go on, and are not waited for.
		r.Running, r.children = nil, nil
	}
	return r.plan(ctx)
}

// giveUp counts as missed each tick up to a time that has not been taken: one round takes a
// part of many, and with jitter the newest are not due yet.
func (r *runner) giveUp(ctx turnstile.Context, now time.Time) error {
	if r.Next.IsZero() || r.Next.After(now) {
		return nil
	}
	left, err := turnstile.SideEffect(ctx, "ticks given up", func() (Span, error) {
		return r.ticks().span(r.Next, now), nil
	})
	if err == nil {
		left.Reason = ReasonDeleted
		r.missed(left)
	}
	return err
}

// unbuffer gives up the ticks that wait.
func (r *runner) unbuffer() {
	for _, tick := range slices.Concat(r.Buffered, r.Backfilling) {
		r.missed(Span{From: tick, To: tick, Ticks: 1, Reason: ReasonDeleted})
	}
	r.Buffered, r.Backfilling = nil, nil
}

// backfill has the ticks of a backfill wait for their turn. One that waits already for the cancel of
// what runs waits as theirs from now on, because the next tick would give it up.
func (r *runner) backfill(ctx turnstile.Context, ticks []time.Time) error {
	for _, tick := range ticks {
		if r.Definition.Overlap == CancelRunning || r.Definition.Overlap == TerminateRunning {
			r.Buffered = slices.DeleteFunc(r.Buffered, tick.Equal)
		}
		switch {
		case r.knows(tick):
		case len(r.Backfilling) >= scheduling.MaxBackfill:
			r.missed(Span{From: tick, To: tick, Ticks: 1, Reason: ReasonBufferFull})
		default:
			r.Backfilling = append(r.Backfilling, tick)
		}
	}
	return r.next(ctx)
}

// triggerID is the id of the instance that a trigger starts.
func triggerID(name, call string) string { return scheduling.StartedPrefix(name) + "trigger-" + call }
