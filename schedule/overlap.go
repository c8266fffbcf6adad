package schedule

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
)

// target returns the declaration of the orchestration that the schedule starts, under an instance id.
// The instance continues when the schedule ends or continues as new. An instance that already exists is
// not started again: the schedule waits for its end.
func (r *runner) target(name, instance string) turnstile.Orchestration[json.RawMessage, json.RawMessage] {
	starts := r.Definition.Starts
	o := turnstile.NewOrchestration[json.RawMessage, json.RawMessage](name).
		With(turnstile.InstanceID(instance), turnstile.UseExisting(), turnstile.ParentClosePolicy(turnstile.Abandon))
	if starts.Version != "" {
		o = o.With(turnstile.Version(starts.Version))
	}
	return o
}

// child starts an instance, or continues to wait for it. By then the definition may name a
// different orchestration.
func (r *runner) child(ctx turnstile.Context, of *Run) turnstile.Future[json.RawMessage] {
	return r.target(cmp.Or(of.Orchestration, r.Definition.Starts.Name), of.Instance).Start(ctx, r.Definition.Starts.Input)
}

// offer starts the instance of a scheduled time, or applies the overlap policy to it.
func (r *runner) offer(ctx turnstile.Context, now, scheduled time.Time) error {
	skip := func(scheduled time.Time, reason string) {
		r.missed(Span{From: scheduled, To: scheduled, Runs: 1, Reason: reason})
	}
	if len(r.Running) == 0 || r.Definition.Overlap == Allow {
		return r.start(ctx, now, Run{ScheduledAt: scheduled, Instance: runID(r.Definition.Name, scheduled)})
	}
	switch r.Definition.Overlap {
	case BufferAll:
		if len(r.Buffered) >= maxBuffered {
			skip(scheduled, ReasonBufferFull)
			return nil
		}
		r.Buffered = append(r.Buffered, scheduled)
	case CancelRunning, TerminateRunning:
		for _, waiting := range r.Buffered {
			skip(waiting, ReasonOverlap)
		}
		stop := turnstile.CancelInstance
		if r.Definition.Overlap == TerminateRunning {
			stop = turnstile.TerminateInstance
		}
		for i := range r.Running {
			// An older build that sends this request cancels an instance that should be terminated, so
			// the request is sent again.
			running := &r.Running[i]
			if running.Stopped && r.Definition.Overlap == CancelRunning {
				continue
			}
			running.Stopped = true
			if err := stop(ctx, running.Instance, "the next run of its schedule is due"); err != nil {
				return err
			}
		}
		r.Buffered = []time.Time{scheduled}
	default:
		// A backfilled instance does not belong to an earlier scheduled time, so a run waits for it
		// even with Skip.
		earlier := slices.ContainsFunc(r.Running, func(running Run) bool { return !running.Backfilled })
		if len(r.Buffered) > 0 || earlier && r.Definition.Overlap != BufferOne {
			skip(scheduled, ReasonOverlap)
			return nil
		}
		r.Buffered = append(r.Buffered, scheduled)
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

// hasEnded records the end of an instance, and starts a run that has waited for it.
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

// next starts a waiting run if nothing is running and the schedule is not paused: first a buffered
// run, then a run of a backfill. With the policy Allow the whole backfill starts.
func (r *runner) next(ctx turnstile.Context) error {
	for !r.Paused && len(r.Running) == 0 && len(r.Buffered)+len(r.Backfilling) > 0 {
		from, backfilled := &r.Buffered, len(r.Buffered) == 0
		if backfilled {
			from = &r.Backfilling
		}
		scheduled := (*from)[0]
		*from = slices.Delete(*from, 0, 1)
		if err := r.start(ctx, turnstile.Now(ctx), Run{ScheduledAt: scheduled, Instance: runID(r.Definition.Name, scheduled), Backfilled: backfilled}); err != nil {
			return err
		}
	}
	return nil
}

// cut shortens a text to at most so many bytes, at a character boundary.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
