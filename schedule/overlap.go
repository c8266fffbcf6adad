package schedule

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
)

// target is the declaration of what the schedule starts, under an instance id. It goes on
// when the schedule ends or continues as new, and an instance that is there already is not
// started again: it tells how it ends, or has ended.
func (r *runner) target(name, instance string) turnstile.Orchestration[json.RawMessage, json.RawMessage] {
	starts := r.Definition.Starts
	o := turnstile.NewOrchestration[json.RawMessage, json.RawMessage](name).
		With(turnstile.InstanceID(instance), turnstile.UseExisting(), turnstile.ParentClosePolicy(turnstile.Abandon))
	if starts.Version != "" {
		o = o.With(turnstile.Version(starts.Version))
	}
	return o
}

// child starts an instance, or goes on waiting for it, though the definition may start another
// orchestration by now.
func (r *runner) child(ctx turnstile.Context, of *Run) turnstile.Future[json.RawMessage] {
	return r.target(cmp.Or(of.Orchestration, r.Definition.Starts.Name), of.Instance).Start(ctx, r.Definition.Starts.Input)
}

// offer starts the instance of a tick, or does with the tick what the overlap policy says.
func (r *runner) offer(ctx turnstile.Context, now, tick time.Time) error {
	skip := func(tick time.Time, reason string) {
		r.missed(Span{From: tick, To: tick, Ticks: 1, Reason: reason})
	}
	if len(r.Running) == 0 || r.Definition.Overlap == Allow {
		return r.start(ctx, now, Run{Tick: tick, Instance: tickID(r.Definition.Name, tick)})
	}
	switch r.Definition.Overlap {
	case BufferAll:
		if len(r.Buffered) >= maxBuffered {
			skip(tick, ReasonBufferFull)
			return nil
		}
		r.Buffered = append(r.Buffered, tick)
	case CancelRunning, TerminateRunning:
		for _, waiting := range r.Buffered {
			skip(waiting, ReasonOverlap)
		}
		stop := turnstile.CancelInstance
		if r.Definition.Overlap == TerminateRunning {
			stop = turnstile.TerminateInstance
		}
		for i := range r.Running {
			// An older build that sends it cancels what was to be terminated: so that is asked again.
			running := &r.Running[i]
			if running.Stopped && r.Definition.Overlap == CancelRunning {
				continue
			}
			running.Stopped = true
			if err := stop(ctx, running.Instance, "the next tick of its schedule is due"); err != nil {
				return err
			}
		}
		r.Buffered = []time.Time{tick}
	default:
		// A backfilled instance is not that of an earlier tick: also with Skip, a tick waits for it.
		earlier := slices.ContainsFunc(r.Running, func(running Run) bool { return !running.Backfilled })
		if len(r.Buffered) > 0 || earlier && r.Definition.Overlap != BufferOne {
			skip(tick, ReasonOverlap)
			return nil
		}
		r.Buffered = append(r.Buffered, tick)
	}
	return nil
}

// start starts the instance of a run.
func (r *runner) start(ctx turnstile.Context, now time.Time, started Run) error {
	started.StartedAt, started.Outcome = now, OutcomeStarted
	r.ran(started)
	if r.Definition.Overlap == Allow {
		_, err := r.target(r.Definition.Starts.Name, started.Instance).StartDetached(ctx, r.Definition.Starts.Input)
		return err
	}
	started.Orchestration = r.Definition.Starts.Name
	r.Running = append(r.Running, started)
	r.children = append(r.children, r.child(ctx, &started))
	return nil
}

// hasEnded takes in the end of an instance, and starts a tick that has waited for it.
func (r *runner) hasEnded(ctx turnstile.Context, i int) error {
	r.changed = true
	instance := r.Running[i].Instance
	_, err := r.children[i].Await(ctx)
	switch failed, ok := errors.AsType[*turnstile.ChildError](err); {
	case err == nil:
		r.ended(instance, OutcomeCompleted, "")
	case ok:
		r.ended(instance, OutcomeFailed, cut(failed.Error(), 300))
	default:
		return err
	}
	r.Running, r.children = slices.Delete(r.Running, i, i+1), slices.Delete(r.children, i, i+1)
	return r.next(ctx)
}

// next starts a tick that waits, if nothing runs and the schedule is not paused: a buffered one
// first, then one of a backfill. With the policy Allow the whole backfill starts.
func (r *runner) next(ctx turnstile.Context) error {
	for !r.Paused && len(r.Running) == 0 && len(r.Buffered)+len(r.Backfilling) > 0 {
		from, backfilled := &r.Buffered, len(r.Buffered) == 0
		if backfilled {
			from = &r.Backfilling
		}
		tick := (*from)[0]
		*from = slices.Delete(*from, 0, 1)
		if err := r.start(ctx, turnstile.Now(ctx), Run{Tick: tick, Instance: tickID(r.Definition.Name, tick), Backfilled: backfilled}); err != nil {
			return err
		}
	}
	return nil
}

// cut shortens a text to at most so many bytes, at a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
