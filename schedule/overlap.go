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
		return r.start(ctx, now, tick, tickID(r.Definition.Name, tick))
	}
	switch r.Definition.Overlap {
	case BufferOne:
		if len(r.Buffered) > 0 {
			skip(tick, ReasonOverlap)
			return nil
		}
		r.Buffered = append(r.Buffered, tick)
	case BufferAll:
		return r.buffer(tick)
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
		skip(tick, ReasonOverlap)
	}
	return nil
}

// buffer keeps a tick until nothing runs.
func (r *runner) buffer(tick time.Time) error {
	if len(r.Buffered) >= maxBuffered {
		r.missed(Span{From: tick, To: tick, Ticks: 1, Reason: ReasonBufferFull})
		return nil
	}
	r.Buffered = append(r.Buffered, tick)
	return nil
}

// start starts an instance.
func (r *runner) start(ctx turnstile.Context, now, tick time.Time, instance string) error {
	started := Run{Tick: tick, Instance: instance, StartedAt: now, Outcome: OutcomeStarted}
	r.ran(started)
	if r.Definition.Overlap == Allow {
		_, err := r.target(r.Definition.Starts.Name, instance).StartDetached(ctx, r.Definition.Starts.Input)
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

// next starts a tick that waits, if nothing runs and the schedule is not paused.
func (r *runner) next(ctx turnstile.Context) error {
	if len(r.Running) > 0 || len(r.Buffered) == 0 || r.Paused {
		return nil
	}
	now := turnstile.Now(ctx)
	tick := r.Buffered[0]
	r.Buffered = slices.Delete(r.Buffered, 0, 1)
	return r.start(ctx, now, tick, tickID(r.Definition.Name, tick))
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
