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

// suspension projects that an instance is suspended, or is so no longer, and reports
// whether the record changes by it. A suspended instance is listed as that, also where it
// is stuck: it keeps its problem, and nothing tries it before it is resumed. As each change
// of a mark, it demands the stamp that was read and raises it: what was sent for a mark
// before changes nothing more.
func (s *Standing) suspension(c *store.RecordChange, p *Result, d *engine.Turn) (changed bool) {
	if d.End() != nil && len(d.Next) == 0 {
		return false // Marks end with the instance.
	}
	now := suspensionOf(d)
	if now != nil && c.Status != nil {
		*c.Status = statusOf(now)
	}
	if !Suspends(d) {
		return false
	}
	var was *store.Suspension
	if s.Record != nil && !s.Creating {
		was = s.Record.Suspension
	}
	// A record that does not say that what is resumed was suspended was read beside the commit
	// which has suspended it: the change, which demands its stamp, does not land.
	if was == nil && now == nil && !d.Resumed || was != nil && now != nil && *was == *now {
		return false
	}
	status := statusOf(now)
	if now == nil {
		status = s.unsuspended(c, p)
		s.triedAgain(c, status)
	}
	c.Suspension, c.Status = &now, &status
	if c.Stamp == nil && !s.Creating && s.Record != nil {
		read, next := s.Record.Stamp, s.Record.Stamp+1
		c.If.Stamp, c.Stamp = &read, &next
	}
	return true
}

// unsuspended is the status of a resumed instance: the status that its problem gives it, or
// running.
func (s *Standing) unsuspended(c *store.RecordChange, p *Result) store.Status {
	switch {
	case p.Mark != nil:
		return store.StatusStuck
	case c.Problem != nil, s.Record == nil, s.Creating, s.Record.Problem == nil:
		return store.StatusRunning
	case s.corrupt():
		return store.StatusCorrupt
	}
	return store.StatusStuck
}

// statusOf is what a suspended instance is listed as. The first event after a start is
// its own suspend, or one that no code ran before.
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

// triedAgain has the sweeper send a wake for an instance that is resumed and stuck: one that
// it sent for the mark before may have found it suspended.
func (s *Standing) triedAgain(c *store.RecordChange, status store.Status) {
	if status != store.StatusStuck || c.Problem != nil || s.Record == nil || s.Record.Problem == nil || s.Record.Problem.WokenMS == 0 {
		return
	}
	m := *s.Record.Problem
	m.WokenMS = 0
	problem := &m
	c.Problem = &problem
}

// corrupt reports whether the record says that the history is damaged. A commit shows that
// it is so no longer.
func (s *Standing) corrupt() bool {
	return s.Record != nil && !s.Creating && s.Record.Problem != nil && s.Record.Problem.Kind == store.ProblemCorrupt
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
