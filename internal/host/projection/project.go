// Package projection finds out what a commit changes of the record of its instance:
// status, output, what finds it, and the mark of one that cannot go on. Its functions
// are pure: they go by what was read, and read nothing.
package projection

import (
	"bytes"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Standing is how an instance stands when what a turn commits is projected onto its
// record.
type Standing struct {
	Instance  string
	Execution int64
	// Record as it is known: nil where there is none, and where it was not read.
	Record *store.Record
	// Creating: the commit begins the instance. The record, if any, is the tombstone
	// of a purged instance, or the record of an ended one that begins again.
	Creating bool
	// Suspect is the message under which a new instance is marked, found the mark
	// that gave a killer away; empty for none.
	Suspect, Found string
	// Problem with which the commit leaves the instance stuck; nil if it can go on.
	Problem *store.Problem
	// Ran: the code went on with all that is recorded.
	Ran bool
	// Try is the id of a wake that moves or clears the mark, whatever comes of it;
	// empty if there is none.
	Try string
	// Sealed: a record has one codec for all its payloads.
	Sealed bool
	Now    time.Time
	// Delay of a try, by how many there were.
	Delay func(tries int) time.Duration
}

// Result is what a commit changes of the record, and what is told of that.
type Result struct {
	// Change is nil for none, as it is for most turns.
	Change *store.RecordChange
	// Mark that the instance has from now on, set or moved by the change or kept as
	// it was; nil for none.
	Mark  *store.Problem
	Moved bool
	// Recovered is the mark that the change clears.
	Recovered *store.Problem
	// Suspected: a new record has the suspect's mark.
	Suspected bool
}

// Of finds out what a commit changes of the record, a projection of history.
func (s *Standing) Of(d *engine.Turn) (p Result) {
	var c store.RecordChange
	dirty := s.Creating && len(d.Events) > 0
	if s.statusDiffers(d) {
		c.CustomStatus, dirty = &d.CustomStatus, true
	}
	if set := s.SearchDiffers(d); len(set) > 0 {
		c.SearchAttributes, dirty = set, true
		if !s.Creating {
			c.FoundAt = s.Record.CreatedAt
		}
	}
	switch end := d.End(); {
	case len(d.Next) > 0:
		next, version := s.Execution+1, d.Next[0].Version
		c.ExecutionID, c.Version, dirty = &next, &version, true
		s.recover(&c, &p)
	case end != nil:
		dirty = true
		endRecord(&c, end, s.Now)
		if s.Record != nil && !s.Creating && s.Record.Suspension != nil {
			c.Suspension = new(*store.Suspension)
		}
		s.keepStatus(&c, d)
		s.demandStamp(&c)
	case s.Problem != nil:
		s.mark(&c, &p)
		dirty = dirty || p.Moved
		if s.Found != "" {
			// The change demands the flag that was found. Without that it could land late,
			// when the message is acknowledged and gone, and no message would continue the
			// instance.
			clear := ""
			c.If.Suspect, c.Suspect, dirty = &s.Found, &clear, true
		}
	case s.Ran && (len(d.Events) > 0 || s.Try != ""):
		s.recover(&c, &p)
		dirty = dirty || p.Recovered != nil
	case d.Suspended != nil && s.corrupt() && (len(d.Events) > 0 || s.Try != ""):
		// Its history can be read again, and that is all that is asked of a suspended one.
		s.recover(&c, &p)
		dirty = true
	}
	if s.suspension(&c, &p, d) {
		dirty = true
	}
	if !dirty {
		return p
	}
	c.UpdatedAt, p.Change = s.Now, &c
	if s.Creating {
		p.Suspected = s.create(&c, d)
	} else if c.If == (store.RecordCondition{}) || c.If.Stamp != nil {
		// A change without events meets no conditional write of the history:
		// the record itself has to show that it is not stale.
		c.If.Exists, c.If.ExecutionID, c.If.Running = true, s.Execution, true
	}
	return p
}

// statusDiffers reports whether a commit changes the custom status of the record. A
// record that was read beside a commit that is under way may be older than the history:
// what stands there proves nothing where the history says that it has changed since.
func (s *Standing) statusDiffers(d *engine.Turn) bool {
	return d.StatusChanged && (s.Creating || s.Record == nil ||
		!bytes.Equal(s.Record.CustomStatus, d.CustomStatus) || !bytes.Equal(d.StatusWas, d.CustomStatus))
}

// SearchDiffers returns what of a commit's search attributes the record may not have.
func (s *Standing) SearchDiffers(d *engine.Turn) (set history.SearchAttributes) {
	if s.Creating {
		return d.SearchSet
	}
	if s.Record == nil {
		return nil // The commit finds that out by itself.
	}
	for name, v := range d.SearchSet {
		if s.Record.SearchAttributes[name] == v && d.SearchWas[name] == v {
			continue
		}
		if set == nil {
			set = make(history.SearchAttributes, len(d.SearchSet))
		}
		set[name] = v
	}
	return set
}

// keepStatus adds the custom status to the change that ends the instance, because
// the status may have been sealed by an earlier codec. After an end that the code
// did not make the engine need not know it.
func (s *Standing) keepStatus(c *store.RecordChange, d *engine.Turn) {
	if !s.Sealed || c.CustomStatus != nil || s.Creating {
		return
	}
	status := d.CustomStatus
	if d.End().Imposed != "" && s.Record != nil {
		status = s.Record.CustomStatus
	}
	c.CustomStatus = &status
}

// demandStamp makes an end demand the stamp that was read, whether or not there was
// a mark. An end that lands late would otherwise remove a mark that was set since, and no
// wake would send what was left open.
//
// An end whose commit has the fact of its own message needs no stamp: the message
// is redelivered and sends what is open, and whoever marks the instance for the same
// message has taken the slot of the end.
func (s *Standing) demandStamp(c *store.RecordChange) {
	if s.Creating || s.Record == nil {
		return
	}
	read := s.Record.Stamp
	c.If.Stamp = &read
}

// mark marks the instance as stuck (rule 11), or moves its mark. With the first
// mark, and each time that a wake finds the instance stuck again, the next try is
// due after a longer delay. Any other message moves the mark only if the reason is
// a new one, and leaves the time of the next try. The change demands the stamp that
// was read, and raises it.
func (s *Standing) mark(c *store.RecordChange, p *Result) {
	var before *store.Problem
	var read int64
	if s.again() {
		read = s.Record.Stamp
	} else if s.Record != nil && !s.Creating {
		read = s.Record.Stamp
		if before = s.Record.Problem; before != nil && before.Kind == store.ProblemCorrupt {
			before = nil
		}
	}
	m := *s.Problem
	m.SinceMS, m.Tries, m.NextMS, m.WokenMS = s.Now.UnixMilli(), 0, 0, 0
	if before != nil {
		m.SinceMS, m.Tries, m.NextMS, m.Wake = before.SinceMS, before.Tries, before.NextMS, before.Wake
	}
	if before == nil || s.Try != "" {
		m.Tries++
		m.Wake = s.Try
		m.NextMS = s.Now.Add(s.Delay(m.Tries)).UnixMilli()
	} else if before.Kind == m.Kind && before.Message == m.Message {
		p.Mark = before
		return
	}
	p.Mark, p.Moved = &m, true
	status, problem, next := store.StatusStuck, &m, read+1
	c.Status, c.Problem, c.Stamp = &status, &problem, &next
	if !s.Creating {
		c.If.Stamp = &read
	}
}

// recover clears the mark of an instance whose code goes on. It is left to the next
// wake by a turn that did not read the record, and by one that records no event and
// has no wake: if its message were redelivered, nothing would show that the clear
// is still on its way.
func (s *Standing) recover(c *store.RecordChange, p *Result) {
	if s.Record == nil || s.Creating || s.Record.Problem == nil {
		return
	}
	var problem *store.Problem
	status, read, next := store.StatusRunning, s.Record.Stamp, s.Record.Stamp+1
	c.Status, c.Problem, c.Stamp, c.If.Stamp = &status, &problem, &next, &read
	p.Recovered = s.Record.Problem
}

// create makes of the change the record of a new instance, and reports whether it
// has the suspect's mark.
func (s *Standing) create(c *store.RecordChange, d *engine.Turn) (suspected bool) {
	started := &d.Events[0]
	r := store.Record{
		Instance: s.Instance, ExecutionID: s.Execution, FirstExecution: s.Execution,
		Name: started.Name, Version: started.Version, Status: store.StatusRunning, CreatedAt: s.Now,
	}
	if start := started.Start; start != nil {
		r.StartID, r.Parent, r.SearchAttributes, r.CustomStatus = start.StartID, start.Parent, start.SearchAttributes, start.CustomStatus
		r.FairnessGroup = start.FairnessGroup
		if o := start.Origin; o != nil {
			r.Origin = &history.Origin{Instance: o.Instance, ExecutionID: o.ExecutionID, EventID: o.EventID}
		}
	}
	if suspected = s.Suspect != "" && (d.End() == nil || len(d.Next) > 0); suspected {
		r.Suspect = s.Suspect
	}
	if s.again() {
		r.Forked, r.Forks = s.Record.Forked, s.Record.Forks
		r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = s.Record.FirstExecution, s.Record.Pruned, s.Record.StartsBefore(), s.Record.Stamp
	}
	r = c.Apply(r)
	condition, removed := store.RecordCondition{Absent: true}, history.SearchAttributes(nil)
	switch {
	case s.again():
		// Executions that were pruned since the record was read stay pruned, and forks that were
		// made stay known.
		first, forked := s.Record.FirstExecution, s.Record.Forked
		condition = store.RecordCondition{Exists: true, ExecutionID: s.Record.ExecutionID, Ended: true, FirstExecution: &first, Forked: &forked}
		removed = unset(s.Record.SearchAttributes, r.SearchAttributes)
	case s.Record != nil:
		condition.ExecutionID, condition.At = s.Record.ExecutionID, s.Now
	}
	*c = store.RecordChange{If: condition, Create: &r, SearchAttributes: removed, UpdatedAt: s.Now}
	return suspected
}

// again reports whether the commit begins an instance again that has ended. The record
// keeps its first execution, so that the histories before are still the instance's; and
// its stamp goes on, so that what was sent for a mark before finds another one.
func (s *Standing) again() bool { return s.Creating && s.Record != nil && !s.Record.Purged }

// unset has the search attributes without a value that only the record before has.
func unset(before, after history.SearchAttributes) history.SearchAttributes {
	var removed history.SearchAttributes
	for name := range before {
		if _, stays := after[name]; !stays {
			if removed == nil {
				removed = history.SearchAttributes{}
			}
			removed[name] = history.SearchValue{}
		}
	}
	return removed
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
