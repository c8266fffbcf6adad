package orchestrator

import (
	"bytes"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// standing is how an instance stands when a draft is projected onto its record.
type standing struct {
	instance  string
	execution int64
	// record as it is known: nil where there is none, and where it was not read.
	record *store.Record
	// creating: the draft begins the instance. The record, if any, is the tombstone
	// of one that was purged.
	creating bool
	// suspect is the message under which a new instance is marked, found the mark
	// that gave a killer away; empty for none.
	suspect, found string
	// problem with which the draft leaves the instance stuck; nil if it can go on.
	problem *store.Problem
	// ran: the code went on with all that is recorded.
	ran bool
	// try: a wake moves or clears the mark, whatever comes of it.
	try bool
	// sealed: a record has one codec for all its payloads.
	sealed bool
	now    time.Time
	// delay of a try, by how many there were.
	delay func(tries int) time.Duration
}

// projection is what a draft changes of the record, and what is told of that.
type projection struct {
	// change is nil for none, as it is for most turns.
	change *store.RecordChange
	// mark that the instance has from now on, set or moved by the change or kept as
	// it was; nil for none.
	mark  *store.Problem
	moved bool
	// recovered is the mark that the change clears.
	recovered *store.Problem
	// suspected: a new record has the suspect's mark.
	suspected bool
}

// project finds out what a draft changes of the record, a projection of history. It
// reads nothing (see turn.knowFor).
func (s *standing) project(d *draft) (p projection) {
	var c store.RecordChange
	dirty := s.creating && len(d.Events) > 0
	if s.statusDiffers(d) {
		c.CustomStatus, dirty = &d.CustomStatus, true
	}
	if set := s.searchDiffers(d); len(set) > 0 {
		c.SearchAttributes, dirty = set, true
		if !s.creating {
			c.FoundAt = s.record.CreatedAt
		}
	}
	switch end := d.End(); {
	case len(d.Next) > 0:
		next, version := s.execution+1, d.Next[0].Version
		c.ExecutionID, c.Version, dirty = &next, &version, true
		s.recover(&c, &p)
	case end != nil:
		dirty = true
		endRecord(&c, end, s.now)
		s.keepStatus(&c, d)
		s.demandStamp(&c)
	case s.problem != nil:
		s.mark(&c, &p)
		dirty = dirty || p.moved
		if s.found != "" {
			// The change demands the flag that was found. Without that it could land late,
			// when the message is handled and gone, and nobody would take the instance on.
			clear := ""
			c.If.Suspect, c.Suspect, dirty = &s.found, &clear, true
		}
	case s.ran && (len(d.Events) > 0 || s.try):
		s.recover(&c, &p)
		dirty = dirty || p.recovered != nil
	}
	if !dirty {
		return p
	}
	c.UpdatedAt, p.change = s.now, &c
	if s.creating {
		p.suspected = s.create(&c, d)
	} else if c.If == (store.RecordCondition{}) || c.If.Stamp != nil {
		// A change without events meets no conditional write of the history:
		// the record itself has to show that it is not stale.
		c.If.Exists, c.If.ExecutionID, c.If.Running = true, s.execution, true
	}
	return p
}

// statusDiffers reports whether a draft changes the custom status of the record.
func (s *standing) statusDiffers(d *draft) bool {
	return d.StatusChanged && (s.creating || s.record == nil || !bytes.Equal(s.record.CustomStatus, d.CustomStatus))
}

// searchDiffers returns what of a draft's search attributes the record has not.
func (s *standing) searchDiffers(d *draft) (set history.SearchAttributes) {
	if s.creating {
		return d.SearchSet
	}
	if s.record == nil {
		return nil // The commit finds that out by itself.
	}
	for name, v := range d.SearchSet {
		if s.record.SearchAttributes[name] == v {
			continue
		}
		if set == nil {
			set = make(history.SearchAttributes, len(d.SearchSet))
		}
		set[name] = v
	}
	return set
}

// keepStatus adds the custom status to the change that ends the instance, for the
// status may have been sealed by an earlier codec. After an end that the code did
// not make the engine need not know it.
func (s *standing) keepStatus(c *store.RecordChange, d *draft) {
	if !s.sealed || c.CustomStatus != nil || s.creating {
		return
	}
	status := d.CustomStatus
	if d.End().Imposed != "" && s.record != nil {
		status = s.record.CustomStatus
	}
	c.CustomStatus = &status
}

// demandStamp makes an end demand the stamp that was read, whether or not there was
// a mark. An end that lands late would otherwise remove a mark that another process
// has set since, and no wake would send what that process left open.
//
// An end whose commit has the fact of its own message needs no stamp: the message
// is redelivered and sends what is open, and a process that marks the instance for
// the same message has taken the slot of the end.
func (s *standing) demandStamp(c *store.RecordChange) {
	if s.creating || s.record == nil {
		return
	}
	read := s.record.Stamp
	c.If.Stamp = &read
}

// mark marks the instance as stuck (rule 11), or moves its mark. With the first
// mark, and each time that a wake finds the instance stuck again, the next try is
// due after a longer delay. Any other message moves the mark only if the reason is
// a new one, and leaves the time of the next try. The change demands the stamp that
// was read, and raises it.
func (s *standing) mark(c *store.RecordChange, p *projection) {
	var before *store.Problem
	var read int64
	if s.record != nil && !s.creating {
		read = s.record.Stamp
		if before = s.record.Problem; before != nil && before.Kind == store.ProblemCorrupt {
			before = nil
		}
	}
	m := *s.problem
	m.SinceMS, m.Tries, m.NextMS, m.WokenMS = s.now.UnixMilli(), 0, 0, 0
	if before != nil {
		m.SinceMS, m.Tries, m.NextMS = before.SinceMS, before.Tries, before.NextMS
	}
	if before == nil || s.try {
		m.Tries++
		m.NextMS = s.now.Add(s.delay(m.Tries)).UnixMilli()
	} else if before.Kind == m.Kind && before.Message == m.Message {
		p.mark = before
		return
	}
	p.mark, p.moved = &m, true
	status, problem, next := store.StatusStuck, &m, read+1
	c.Status, c.Problem, c.Stamp = &status, &problem, &next
	if !s.creating {
		c.If.Stamp = &read
	}
}

// recover clears the mark of an instance whose code goes on. It is left to the next
// wake by a turn that did not read the record, and by one that records no event and
// has no wake: if its message were redelivered, nothing would show that the clear
// is still on its way.
func (s *standing) recover(c *store.RecordChange, p *projection) {
	if s.record == nil || s.creating || s.record.Problem == nil {
		return
	}
	var problem *store.Problem
	status, read, next := store.StatusRunning, s.record.Stamp, s.record.Stamp+1
	c.Status, c.Problem, c.Stamp, c.If.Stamp = &status, &problem, &next, &read
	p.recovered = s.record.Problem
}

// create makes of the change the record of a new instance, and reports whether it
// has the suspect's mark.
func (s *standing) create(c *store.RecordChange, d *draft) (suspected bool) {
	started := &d.Events[0]
	r := store.Record{
		Instance: s.instance, ExecutionID: s.execution, FirstExecution: s.execution,
		Name: started.Name, Version: started.Version, Status: store.StatusRunning, CreatedAt: s.now,
	}
	if start := started.Start; start != nil {
		r.StartID, r.Parent, r.SearchAttributes = start.StartID, start.Parent, start.SearchAttributes
		r.Origin, r.FairnessGroup = start.Origin, start.FairnessGroup
	}
	if suspected = s.suspect != "" && (d.End() == nil || len(d.Next) > 0); suspected {
		r.Suspect = s.suspect
	}
	r = c.Apply(r)
	condition := store.RecordCondition{Absent: true}
	if s.record != nil {
		condition.ExecutionID, condition.At = s.record.ExecutionID, s.now
	}
	*c = store.RecordChange{If: condition, Create: &r, UpdatedAt: s.now}
	return suspected
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
