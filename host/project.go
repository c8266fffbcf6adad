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
		if err := t.demandStamp(ctx, &c, d); err != nil {
			return err
		}
	case t.killer:
		if err := t.stuckRecord(ctx, &c, t.killedProblem(), w); err != nil {
			return err
		}
		// Only the mark that was found proves it: one that lands late, when the
		// message has come back and gone, would leave the instance to nobody.
		found, clear := t.mark, ""
		c.If.Suspect, c.Suspect, dirty = &found, &clear, true
	case parked && t.blockedBy != nil:
		if err := t.stuckRecord(ctx, &c, t.blockedProblem(), w); err != nil {
			return err
		}
		dirty = dirty || c.Problem != nil
	case out.Stuck != nil:
		t.Observer.Count(CountStuck, string(out.Stuck.Kind), 1)
		if err := t.stuckRecord(ctx, &c, problemOf(out.Stuck), w); err != nil {
			return err
		}
		dirty = dirty || c.Problem != nil
	case !parked && !out.Parked && out.State != engine.NotStarted && (len(d.events) > 0 || w.try) && t.recovered(&c, d):
		dirty = true
	}
	if !dirty {
		return nil
	}
	c.UpdatedAt = t.Clock.Now()
	if t.creating {
		t.createRecord(&c, d)
	} else if c.If == (store.RecordCondition{}) || c.If.Stamp != nil {
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

// demandStamp has an end demand the stamp that was read, whether or not there was
// a mark: it would take away one that another process has set since, and with it
// the wake that answers for what it left open. An end in whose commit the fact of
// a message stands needs none: that message comes back for it, and whoever marks
// the instance for the same message has taken the slot of the end.
func (t *turn) demandStamp(ctx context.Context, c *store.RecordChange, d *draft) error {
	if t.creating || t.record == nil && d.messaged {
		return nil
	}
	if t.record == nil {
		if err := t.currentRecord(ctx); err != nil {
			return err
		}
		if r := t.record; r == nil || r.Purged || r.ExecutionID != t.execution || r.Problem != nil {
			return errRebuild
		}
	}
	read := t.record.Stamp
	c.If.Stamp = &read
	return nil
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

// endRecord projects a terminal event. Marks end with it.
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
	suspect, codec := "", end.Codec
	c.Status, c.EndedAt, c.Output, c.Failure, c.Codec = &status, &now, &output, &failure, &codec
	c.Problem, c.Suspect = &problem, &suspect
}

// recovered clears the mark of an instance whose code goes on. A turn that did
// not read the record leaves the mark to the next wake, which does; so does one
// that leaves no event and has no wake (project): its message would not find what
// it did when it comes back.
func (t *turn) recovered(c *store.RecordChange, d *draft) bool {
	if t.record == nil || t.creating || t.record.Problem == nil {
		return false
	}
	var problem *store.Problem
	status, read, next := store.StatusRunning, t.record.Stamp, t.record.Stamp+1
	c.Status, c.Problem, c.Stamp, c.If.Stamp = &status, &problem, &next, &read
	d.outcome = outcomeRecovered
	t.Observer.Count(CountRecovered, t.record.Problem.Kind, 1)
	return true
}
