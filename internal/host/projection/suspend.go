package projection

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Suspends reports whether a commit records a suspend or a resume.
func Suspends(d *engine.Turn) bool { return suspendsIn(d.Events) || suspendsIn(d.Next) }

func suspendsIn(events []history.Event) bool {
	for i := range events {
		if k := events[i].Kind; k == history.OrchestrationSuspended || k == history.OrchestrationResumed {
			return true
		}
	}
	return false
}

// suspension projects a suspend or a resume, and reports whether that changes the record. A
// suspended instance is listed as suspended even if it is stuck. It keeps its problem and is not
// tried again until it is resumed. Like each change of a problem, the change requires the stamp
// that was read and raises it, so that messages sent for the earlier problem have no effect.
func (s *Standing) suspension(c *store.RecordChange, p *Result, d *engine.Turn) (changed bool) {
	if d.End() != nil && len(d.Next) == 0 {
		return false // Of ends the suspension with the instance.
	}
	now := suspensionOf(d)
	if now != nil && c.Status != nil {
		*c.Status = statusOf(now)
	}
	if !Suspends(d) {
		return false
	}
	var was *store.Suspension
	if s.Record != nil && !s.Starts.Creating {
		was = s.Record.Suspension
	}
	// If the record does not show that a resumed instance was suspended, it was read while the
	// suspending commit was in progress. The change then fails, because it requires the stamp of
	// that record.
	if was == nil && now == nil && !d.Resumed || was != nil && now != nil && *was == *now {
		return false
	}
	status := statusOf(now)
	if now == nil {
		status = s.unsuspended(c, p)
		s.triedAgain(c, status)
	}
	c.Suspension, c.Status = &now, &status
	if c.Stamp == nil && !s.Starts.Creating && s.Record != nil {
		read, next := s.Record.Stamp, s.Record.Stamp+1
		c.If.Stamp, c.Stamp = &read, &next
	}
	return true
}

// unsuspended returns the status of a resumed instance: the status of its problem, or running.
func (s *Standing) unsuspended(c *store.RecordChange, p *Result) store.Status {
	switch {
	case p.Mark != nil:
		return store.StatusStuck
	case c.Problem != nil, s.Record == nil, s.Starts.Creating, s.Record.Problem == nil:
		return store.StatusRunning
	case s.corrupt():
		return store.StatusCorrupt
	}
	return store.StatusStuck
}

// statusOf returns the status under which a suspended instance is listed. A suspend that is the
// first event after the start means that no code has run yet.
func statusOf(s *store.Suspension) store.Status {
	switch {
	case s == nil:
	case s.LimitKey != "":
		return store.StatusQueued
	case s.EventID == 2 && s.UntilMS > 0:
		return store.StatusScheduled
	}
	return store.StatusSuspended
}

// triedAgain makes the sweeper send a wake to an instance that is resumed while stuck: an earlier
// wake for its problem may have found it suspended.
func (s *Standing) triedAgain(c *store.RecordChange, status store.Status) {
	if status != store.StatusStuck || c.Problem != nil || s.Record == nil || s.Record.Problem == nil || s.Record.Problem.WokenMS == 0 {
		return
	}
	m := *s.Record.Problem
	m.WokenMS = 0
	problem := &m
	c.Problem = &problem
}

// corrupt reports whether the history is damaged according to the record. A commit shows that it no
// longer is.
func (s *Standing) corrupt() bool {
	return s.Record != nil && !s.Starts.Creating && s.Record.Problem != nil && s.Record.Problem.Kind == store.ProblemCorrupt
}

func suspensionOf(d *engine.Turn) *store.Suspension {
	e := d.Suspended
	if e == nil {
		return nil
	}
	s := &store.Suspension{EventID: e.EventID, SinceMS: e.AtMS, UntilMS: d.SuspendedUntilMS, Reason: d.SuspendedFor.Reason, Actor: d.SuspendedFor.Actor}
	if d.Queued {
		s.LimitKey = e.LimitKey
	}
	return s
}
