package host

import (
	"bytes"
	"context"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// project finds out what a draft changes of the instance record, a projection
// of history: nothing, for most turns.
func (t *turn) project(ctx context.Context, d *draft, out *engine.Turn, w wakes, parked bool) error {
	var c store.RecordChange
	dirty := t.creating && len(d.events) > 0
	if differs, err := t.statusDiffers(ctx, d); err != nil {
		return err
	} else if differs {
		c.CustomStatus, dirty = &d.customStatus, true
	}
	if set, err := t.searchSet(ctx, d); err != nil {
		return err
	} else if len(set) > 0 {
		c.SearchAttributes, dirty = set, true
		if !t.creating {
			c.FoundAt = t.record.CreatedAt
		}
	}
	switch {
	case len(d.next) > 0:
		next, version := t.execution+1, d.next[0].Version
		c.ExecutionID, c.Version, dirty = &next, &version, true
		t.recovered(&c, d)
	case out.End() != nil:
		endRecord(&c, out.End(), t.Clock.Now())
		dirty = true
		if err := t.keepStatus(ctx, &c, d, out.End().Imposed != ""); err != nil {
			return err
		}
	case t.killer:
		if err := t.stuckRecord(ctx, &c, d, t.killedProblem(), w); err != nil {
			return err
		}
		// Only the mark that was found proves it: one that lands late, when the
		// message has come back and gone, would leave the instance to nobody.
		found, clear := t.mark, ""
		c.If.Suspect, c.Suspect, dirty = &found, &clear, true
	case parked && t.blockedBy != nil:
		if err := t.stuckRecord(ctx, &c, d, t.blockedProblem(), w); err != nil {
			return err
		}
		dirty = dirty || c.Problem != nil
	case parked && t.mayHaveMarked() && t.record != nil && t.record.Problem != nil:
		// It was marked, and its wake-up may not have been sent.
		d.wake = t.nextWake(t.record.Problem.Tries)
	case out.Stuck != nil:
		t.Observer.Count(CountStuck, string(out.Stuck.Kind), 1)
		if err := t.stuckRecord(ctx, &c, d, problemOf(out.Stuck), w); err != nil {
			return err
		}
		dirty = dirty || c.Problem != nil
	case !parked && !out.Parked && out.State != engine.NotStarted && t.recovered(&c, d):
		dirty = true
	}
	if !dirty && d.parked && t.record != nil && t.record.Problem != nil {
		// What is parked relies on the wake-up of the mark that was read: it
		// must not stand behind a recovery, which would leave it to nobody.
		number := t.record.WakeNumber
		c.If.WakeNumber, dirty = &number, true
	}
	if t.behind && !d.parked && len(d.events) > 0 && !t.creating && t.record != nil && c.If.WakeNumber == nil {
		// It answers what others have recorded. If one of them marks the
		// instance first, its wake-up answers for that, and this commit loses:
		// else nobody would find it again once its own message is gone.
		number := t.record.WakeNumber
		c.If.WakeNumber, dirty = &number, true
	}
	if t.mustFence(d, &c, out) {
		number, next := t.record.WakeNumber, t.record.WakeNumber+1
		c.If.WakeNumber, c.WakeNumber, dirty, t.fenced = &number, &next, true, true
	}
	if !dirty {
		return nil
	}
	c.UpdatedAt = t.Clock.Now()
	if t.creating {
		t.createRecord(&c, d)
	} else if c.If == (store.RecordCondition{}) || c.If.WakeNumber != nil {
		// A change without events meets no conditional write of the history:
		// the record itself has to show that it is not stale.
		c.If.Exists, c.If.ExecutionID, c.If.Running = true, t.execution, true
	}
	d.change = &c
	return nil
}

// statusDiffers reports whether a draft changes the custom status that the record
// has: by what is known of it, or if that is old, by what it is now.
func (t *turn) statusDiffers(ctx context.Context, d *draft) (bool, error) {
	differs := func() bool { return t.record == nil || !bytes.Equal(t.record.CustomStatus, d.customStatus) }
	if !d.statusChanged || differs() {
		return d.statusChanged, nil
	}
	err := t.currentRecord(ctx)
	return differs(), err
}

// mustFence reports whether a mark "stuck" may be on its way that a message of
// this turn made before it came back: a change of the record alone, of unknown
// outcome, by another build. It would land on an instance that is well, with no
// wake-up behind it. The number of the wake-ups goes on, so that it loses.
func (t *turn) mustFence(d *draft, c *store.RecordChange, out *engine.Turn) bool {
	return !t.fenced && t.mayHaveMarked() && !t.creating && !d.parked && out.End() == nil && out.State != engine.NotStarted &&
		t.record != nil && !t.record.Status.Terminal() && t.record.Problem == nil && c.WakeNumber == nil
}

// createRecord makes of the change the record of a new instance.
func (t *turn) createRecord(c *store.RecordChange, d *draft) {
	started := &d.events[0]
	now := t.Clock.Now()
	r := store.Record{
		Instance: t.group.instance, ExecutionID: t.execution, FirstExecution: t.execution,
		Name: started.Name, Version: started.Version, Status: store.StatusRunning, CreatedAt: now,
	}
	if s := started.Start; s != nil {
		r.StartID, r.Parent, r.SearchAttributes = s.StartID, s.Parent, s.SearchAttributes
		r.Origin, r.FairnessGroup = s.Origin, s.FairnessGroup
	}
	if t.group.suspect != "" && !d.ends() {
		r.Suspect, t.mark, t.marked = t.group.suspect, t.group.suspect, true
	}
	r = c.Apply(r)
	condition := store.RecordCondition{Absent: true}
	if t.record != nil {
		condition.ExecutionID, condition.At = t.record.ExecutionID, now
	}
	*c = store.RecordChange{If: condition, Create: &r, UpdatedAt: now}
}

func (d *draft) ends() bool {
	n := len(d.events)
	return n > 0 && d.events[n-1].Kind.Terminal() && len(d.next) == 0
}

// endRecord projects a terminal event. Marks and wake-ups end with it.
func endRecord(c *store.RecordChange, end *history.Event, now time.Time) {
	status, output, failure := store.StatusCompleted, end.Payload, end.Failure
	if end.Kind == history.OrchestrationFailed {
		status, output = store.StatusFailed, nil
		if failure != nil {
			switch failure.Kind {
			case history.FailureCancelled:
				status = store.StatusCancelled
			case history.FailureTerminated:
				status = store.StatusTerminated
			}
		}
		if end.Imposed == history.ImposedTerminated {
			status = store.StatusTerminated
		}
	}
	var problem *store.Problem
	suspect, wake, codec := "", int64(0), end.Codec
	c.Status, c.EndedAt, c.Output, c.Failure, c.Codec = &status, &now, &output, &failure, &codec
	c.Problem, c.Suspect, c.WakeNumber = &problem, &suspect, &wake
}

// recovered clears the mark of an instance whose code goes on. A turn that did
// not read the record leaves the mark to the next wake-up, which does. The wake
// number goes on: none is ever used twice, so that who still holds
// the old one loses.
func (t *turn) recovered(c *store.RecordChange, d *draft) bool {
	if t.record == nil || t.creating || t.record.Problem == nil {
		return false
	}
	var problem *store.Problem
	status, wake, number := store.StatusRunning, t.record.WakeNumber+1, t.record.WakeNumber
	c.Status, c.Problem, c.WakeNumber = &status, &problem, &wake
	c.If.WakeNumber = &number
	d.outcome = outcomeRecovered
	t.Observer.Count(CountRecovered, t.record.Problem.Kind, 1)
	return true
}
