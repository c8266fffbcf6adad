package schedule

import (
	"slices"
	"time"
)

// Reasons why a scheduled time started nothing.
const (
	// ReasonOutage means that no process was running when it was due, and the catch-up policy does
	// not start it.
	ReasonOutage = "outage"
	// ReasonOverlap means that the instance of an earlier run was still running.
	ReasonOverlap = "overlap"
	// ReasonBufferFull means that the maximum number of runs were already waiting.
	ReasonBufferFull = "buffer full"
	// ReasonDeleted means that the schedule was deleted or updated while the run waited.
	ReasonDeleted = "deleted"
)

// Span is a sequence of scheduled times that started nothing.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Runs is the number of scheduled times from From to To.
	Runs int `json:"runs"`
	// Reason is one of the Reason constants.
	Reason string `json:"reason"`
}

// The outcomes of a run.
const (
	// OutcomeStarted means that the instance was started, and is not known to have ended.
	OutcomeStarted = "started"
	// OutcomeCompleted and OutcomeFailed mean that the instance has ended in this way.
	OutcomeCompleted = "completed"
	OutcomeFailed    = "failed"
)

// Run is an instance that a schedule has started.
type Run struct {
	// ScheduledAt is the scheduled time of the run; for a trigger, the time of the trigger.
	ScheduledAt time.Time `json:"scheduled_at"`
	// Instance is its id, and StartedAt when the schedule started it.
	Instance  string    `json:"instance"`
	StartedAt time.Time `json:"started_at"`
	// Outcome is one of the Outcome constants. Failure is why the run failed.
	Outcome string `json:"outcome"`
	Failure string `json:"failure,omitempty"`
	// Orchestration is the name of the instance's orchestration. Stopped is set if the overlap
	// policy has stopped the instance. Both are set only for the instances in Running.
	Orchestration string `json:"orchestration,omitempty"`
	Stopped       bool   `json:"stopped,omitempty"`
	// Backfilled is set if a backfill started the run.
	Backfilled bool `json:"backfilled,omitempty"`
}

// kept is the number of runs, and of spans that started nothing, that are listed.
const kept = 10

// State is the state of a schedule. The schedule's instance publishes it and passes it to the next
// execution.
type State struct {
	Definition Definition `json:"definition"`
	// Revision grows with each command that changed something.
	Revision int `json:"revision"`
	// Paused is set while the schedule is paused; Note is the note of the last pause or resume.
	// Deleted is set if the schedule starts nothing until a schedule of the same name is created.
	Paused  bool   `json:"paused,omitempty"`
	Note    string `json:"note,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Since is when the schedule was created, or last resumed or updated. Times before it do not count
	// as scheduled times.
	Since time.Time `json:"since,omitzero"`
	// Next scheduled time; zero if there is none because the schedule is paused, deleted or past its
	// End.
	Next time.Time `json:"next,omitzero"`
	// Running are the instances that are not known to have ended; empty if the overlap policy is
	// [Allow].
	Running []Run `json:"running,omitempty"`
	// Buffered has the runs that wait for the running instances to end or, while the schedule is
	// paused, for its resume. Backfilling has the waiting runs of backfills, which start when no
	// buffered run is left.
	Buffered    []time.Time `json:"buffered,omitempty"`
	Backfilling []time.Time `json:"backfilling,omitempty"`
	// Recent has the newest ten runs, and Missed the newest ten scheduled times that started
	// nothing; both have the newest last.
	Recent []Run  `json:"recent,omitempty"`
	Missed []Span `json:"missed,omitempty"`
	// Started and MissedRuns are the totals.
	Started    int `json:"started,omitempty"`
	MissedRuns int `json:"missed_runs,omitempty"`
}

// ran records a run.
func (s *State) ran(r Run) {
	s.Started++
	s.Recent = newest(append(s.Recent, r))
}

// knows reports whether a scheduled time is waiting, or is among the newest that were started.
func (s *State) knows(scheduled time.Time) bool {
	return slices.ContainsFunc(s.Buffered, scheduled.Equal) || slices.ContainsFunc(s.Backfilling, scheduled.Equal) ||
		slices.ContainsFunc(slices.Concat(s.Running, s.Recent), func(r Run) bool { return r.Instance == runID(s.Definition.Name, scheduled) })
}

// ended records how a run ended.
func (s *State) ended(instance, outcome, failure string) {
	for i := range s.Recent {
		if r := &s.Recent[i]; r.Instance == instance {
			r.Outcome, r.Failure = outcome, failure
		}
	}
}

// missed records scheduled times that start nothing. Consecutive spans with the same reason are merged.
func (s *State) missed(m Span) {
	s.MissedRuns += m.Runs
	if n := len(s.Missed); n > 0 && s.Missed[n-1].Reason == m.Reason && !m.From.Before(s.Missed[n-1].To) && s.joins(s.Missed[n-1].To, m.From) {
		s.Missed[n-1].To, s.Missed[n-1].Runs = m.To, s.Missed[n-1].Runs+m.Runs
		return
	}
	s.Missed = newest(append(s.Missed, m))
}

// joins reports whether no scheduled time that was started, or waits, lies between two missed ones.
func (s *State) joins(from, to time.Time) bool {
	between := func(scheduled time.Time) bool { return scheduled.After(from) && scheduled.Before(to) }
	return !slices.ContainsFunc(s.Buffered, between) && !slices.ContainsFunc(s.Recent, func(r Run) bool { return between(r.ScheduledAt) })
}

func newest[T any](list []T) []T { return list[max(0, len(list)-kept):] }
