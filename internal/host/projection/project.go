// Package projection determines how a commit changes the record of its instance: its status, output
// and search attributes, and its problem if it cannot continue. Its functions are pure: they use
// what was read, and read nothing.
package projection

import (
	"bytes"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Standing is the state of an instance at the moment when a turn's commit is projected onto its
// record.
type Standing struct {
	Instance  string
	Execution int64
	// Record as it is known: nil if none exists or it was not read.
	Record *store.Record
	Starts Start
	// Suspect is the suspected message of a new instance; empty for none. Found is the mark that
	// identified a poison message; empty for none.
	Suspect, Found string
	// Problem because of which the instance is stuck after the commit; nil if the instance can
	// continue.
	Problem *store.Problem
	// Ran is set if the code has processed everything that is recorded.
	Ran bool
	// Try is the id of a wake that moves or clears the problem, whatever its result; empty if there is
	// none.
	Try string
	Now time.Time
	// Delay before the next try, by the number of tries so far.
	Delay func(tries int) time.Duration
}

// Start is how a commit starts a record.
type Start struct {
	// Creating is set if the commit creates the instance. The record, if any, is the tombstone of a purged
	// instance, or the record of an ended one that restarts.
	Creating bool
	// Redriven is set if the commit continues an instance that has ended.
	Redriven bool
}

// Result is the change that a commit makes to the record, and the facts about it that are reported.
type Result struct {
	// Change is nil if nothing changes, as for most turns.
	Change *store.RecordChange
	// Mark is the problem that the instance has from now on, whether the change sets it, moves it
	// or leaves it as it was; nil for none. Moved is set if the change sets or moves it.
	Mark  *store.Problem
	Moved bool
	// Recovered is the problem that the change clears.
	Recovered *store.Problem
	// Suspected is set if the new record has the mark of a suspected message.
	Suspected bool
}

// Of determines the change that a commit makes to the record, which is a projection of the history.
func (s *Standing) Of(d *engine.Turn) (p Result) {
	var c store.RecordChange
	dirty := s.Starts.Creating && len(d.Events) > 0
	if s.statusDiffers(d) {
		c.States, dirty = &d.States, true
	}
	if set := s.SearchDiffers(d); len(set) > 0 {
		c.SearchAttributes, dirty = set, true
		if !s.Starts.Creating {
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
		if s.Record != nil && !s.Starts.Creating && s.Record.Suspension != nil {
			c.Suspension = new(*store.Suspension)
		}
		s.demandStamp(&c)
	case s.Problem != nil:
		s.mark(&c, &p)
		dirty = dirty || p.Moved
		if s.Found != "" {
			// The change requires the suspect mark that was found. Without that condition it could land
			// late, after the message is acknowledged and deleted, and no message would continue the
			// instance.
			clear := ""
			c.If.Suspect, c.Suspect, dirty = &s.Found, &clear, true
		}
	case s.Ran && (len(d.Events) > 0 || s.Try != ""):
		s.recover(&c, &p)
		dirty = dirty || p.Recovered != nil
	case d.Suspended != nil && s.corrupt() && (len(d.Events) > 0 || s.Try != ""):
		// The history can be read again, which is all that a suspended instance requires.
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
	if s.Starts.Creating {
		p.Suspected = s.create(&c, d)
	} else if c.If == (store.RecordCondition{}) || c.If.Stamp != nil {
		// A change without events is not protected by a conditional write of the history, so the record
		// itself must show that it is not stale.
		c.If.Exists, c.If.ExecutionID, c.If.Running = true, s.Execution, true
	}
	return p
}

// statusDiffers reports whether a commit changes the record's states. A record that was read
// while a commit was in progress may be older than the history, so its status proves nothing if
// the history says that the status has changed since.
func (s *Standing) statusDiffers(d *engine.Turn) bool {
	return d.StatesChanged && (s.Starts.Creating || s.Record == nil ||
		!bytes.Equal(s.Record.States, d.States) || !bytes.Equal(d.StatesWas, d.States))
}

// SearchDiffers returns the search attributes of a commit that the record may lack.
func (s *Standing) SearchDiffers(d *engine.Turn) (set history.SearchAttributes) {
	if s.Starts.Creating {
		return d.SearchSet
	}
	if s.Record == nil {
		return nil // The commit itself fails on a missing record.
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

// demandStamp makes the change that ends an instance require the stamp that was read, whether or
// not the instance had a problem. Otherwise an end that is committed late would remove a problem
// that was set in the meantime, and no wake would send the messages that the end did not send.
//
// If the commit of the end records its own message, the stamp is not needed: if the messages were
// not sent, that message is redelivered and resends them. A writer that marks the instance for the
// same message has already taken the event id of the end, so the late end fails.
func (s *Standing) demandStamp(c *store.RecordChange) {
	if s.Starts.Creating || s.Record == nil {
		return
	}
	read := s.Record.Stamp
	c.If.Stamp = &read
}

// mark marks the instance as stuck (rule 11), or moves its problem. With the first problem, and
// each time that a wake finds the instance stuck again, the next try is due after a longer delay.
// Any other message moves the problem only if the reason is new, and keeps the time of the next
// try. The change requires the stamp that was read, and raises it.
func (s *Standing) mark(c *store.RecordChange, p *Result) {
	var before *store.Problem
	var read int64
	if s.again() {
		read = s.Record.Stamp
	} else if s.Record != nil && !s.Starts.Creating {
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
	if !s.Starts.Creating {
		c.If.Stamp = &read
	}
}

// recover clears the problem of an instance whose code continues. A turn that did not read the
// record leaves this to the next wake. So does a turn that records no event and has no wake: if its
// message were redelivered, nothing would show that the change that clears the problem is still in
// flight.
func (s *Standing) recover(c *store.RecordChange, p *Result) {
	if s.Record == nil || s.Starts.Creating || s.Record.Problem == nil {
		return
	}
	var problem *store.Problem
	status, read, next := store.StatusRunning, s.Record.Stamp, s.Record.Stamp+1
	c.Status, c.Problem, c.Stamp, c.If.Stamp = &status, &problem, &next, &read
	p.Recovered = s.Record.Problem
}

// create turns the change into the record of a new instance, and reports whether the record has the
// mark of a suspected message.
func (s *Standing) create(c *store.RecordChange, d *engine.Turn) (suspected bool) {
	started := &d.Events[0]
	r := store.Record{
		Instance: s.Instance, ExecutionID: s.Execution, FirstExecution: s.Execution,
		Name: started.Name, Version: started.Version, Status: store.StatusRunning, CreatedAt: s.Now,
	}
	if start := started.Start; start != nil {
		r.StartID, r.Parent, r.SearchAttributes, r.States = start.StartID, start.Parent, start.SearchAttributes, start.States
		r.FairnessGroup = start.FairnessGroup
		if o := start.Origin; o != nil {
			r.Origin = &history.Origin{Instance: o.Instance, ExecutionID: o.ExecutionID, EventID: o.EventID}
		}
	}
	if suspected = s.Suspect != "" && (d.End() == nil || len(d.Next) > 0); suspected {
		r.Suspect = s.Suspect
	}
	if s.again() {
		r.Forked, r.Forks, r.Skipped = s.Record.Forked, s.Record.Forks, s.skipped()
		r.FirstExecution, r.Pruned, r.EarlierStarts, r.Stamp = s.Record.FirstExecution, s.Record.Pruned, s.Record.StartsBefore(), s.Record.Stamp
		if s.Starts.Redriven {
			// The instance keeps its start time. A redrive whose code runs from the beginning is
			// also a redrive.
			r.CreatedAt = s.Record.CreatedAt
			r.Origin = &history.Origin{Instance: s.Instance, ExecutionID: s.Record.ExecutionID, EventID: eventOf(r.Origin)}
		}
	}
	r = c.Apply(r)
	condition, removed := store.RecordCondition{Absent: true}, history.SearchAttributes(nil)
	switch {
	case s.again():
		// Executions that were pruned since the record was read stay pruned, and forks that were made
		// since stay listed.
		first, forked, reserved := s.Record.FirstExecution, s.Record.Forked, s.Record.Reserved
		condition = store.RecordCondition{Exists: true, ExecutionID: s.Record.ExecutionID, Ended: true, FirstExecution: &first, Forked: &forked, Reserved: &reserved}
		removed = unset(s.Record.SearchAttributes, r.SearchAttributes)
	case s.forking():
		reserved := s.Record.Reserved
		condition = store.RecordCondition{Exists: true, ExecutionID: s.Record.ExecutionID, Reserved: &reserved}
	case s.Record != nil:
		condition.ExecutionID, condition.At = s.Record.ExecutionID, s.Now
	}
	*c = store.RecordChange{If: condition, Create: &r, SearchAttributes: removed, UpdatedAt: s.Now}
	return suspected
}

// eventOf returns the last event of the earlier execution that was copied; 0 for none.
func eventOf(o *history.Origin) int64 {
	if o == nil {
		return 0
	}
	return o.EventID
}

// again reports whether the commit restarts or redrives an ended instance. The record keeps its
// first execution, so that the earlier histories still belong to the instance. It also continues
// its stamp, so that a message that was sent for an earlier problem finds a different stamp.
func (s *Standing) again() bool {
	return s.Starts.Creating && s.Record != nil && !s.Record.Purged && !s.forking()
}

// forking reports whether the record is that of a fork that has not started.
func (s *Standing) forking() bool {
	return s.Record != nil && !s.Record.Purged && s.Record.Status == store.StatusForking
}

// skipped returns the numbers that never became current, once this execution has become current.
func (s *Standing) skipped() (all []int64) {
	for _, n := range s.Record.Skipped {
		if n >= s.Record.FirstExecution {
			all = append(all, n)
		}
	}
	for n := s.Record.ExecutionID + 1; n < s.Execution; n++ {
		all = append(all, n)
	}
	return all
}

// unset returns the search attributes that only the earlier record has, each without a value.
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

// endRecord projects a terminal event. It clears the problem and the suspect mark.
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
		if end.Forced == history.ForcedByOperator {
			status = store.StatusTerminated
		}
	}
	var problem *store.Problem
	suspect, codec := "", end.Codec
	c.Status, c.EndedAt, c.Output, c.Failure, c.Codec = &status, &now, &output, &failure, &codec
	c.Problem, c.Suspect = &problem, &suspect
}
