package schedule

import (
	"slices"
	"time"
)

// Reasons why a tick started nothing.
const (
	// ReasonOutage: nothing ran when it was due, and the catch-up leaves it out.
	ReasonOutage = "outage"
	// ReasonOverlap: the instance of an earlier tick was running.
	ReasonOverlap = "overlap"
	// ReasonBufferFull: as many ticks as a schedule buffers were waiting.
	ReasonBufferFull = "buffer full"
	// ReasonDeleted: the schedule was deleted, or changed, while the tick waited.
	ReasonDeleted = "deleted"
)

// Span are ticks in a row that started nothing.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Ticks is how many there are from From to To.
	Ticks int `json:"ticks"`
	// Reason is one of the Reason constants.
	Reason string `json:"reason"`
}

// What is known of a run.
const (
	// OutcomeStarted: the instance was started, and is not known to have ended.
	OutcomeStarted = "started"
	// OutcomeCompleted and OutcomeFailed: it has ended so.
	OutcomeCompleted = "completed"
	OutcomeFailed    = "failed"
)

// Run is an instance that a schedule has started.
type Run struct {
	// Tick that it is for; for a trigger, the time of that.
	Tick time.Time `json:"tick"`
	// Instance is its id, and StartedAt when the schedule started it.
	Instance  string    `json:"instance"`
	StartedAt time.Time `json:"started_at"`
	// Outcome is one of the Outcome constants, Failure why it failed.
	Outcome string `json:"outcome"`
	Failure string `json:"failure,omitempty"`
	// Orchestration that runs, and whether the overlap policy has stopped it; of the instances
	// in Running alone.
	Orchestration string `json:"orchestration,omitempty"`
	Stopped       bool   `json:"stopped,omitempty"`
	// Backfilled: a backfill has started it.
	Backfilled bool `json:"backfilled,omitempty"`
}

// kept is how many runs and spans of ticks that started nothing are listed.
const kept = 10

// State is what a schedule knows of itself. It is the custom status of its instance, and
// goes over into each next execution.
type State struct {
	Definition Definition `json:"definition"`
	// Revision grows with each change that was asked for and made.
	Revision int `json:"revision"`
	// Paused, with the note of who paused or resumed it. Deleted: it starts nothing any more,
	// until a schedule of its name is created again.
	Paused  bool   `json:"paused,omitempty"`
	Note    string `json:"note,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Since is when the schedule was created, or last resumed or updated. Ticks before it are
	// none.
	Since time.Time `json:"since,omitzero"`
	// Next tick; zero if there is none: the schedule is paused or deleted, or its end is over.
	Next time.Time `json:"next,omitzero"`
	// Running are the instances that are not known to have ended, unless the overlap policy is
	// [Allow].
	Running []Run `json:"running,omitempty"`
	// Buffered ticks wait for those to end, and for the resume of a paused schedule. Backfilling
	// are the ticks of backfills that wait: they start when no buffered tick is left.
	Buffered    []time.Time `json:"buffered,omitempty"`
	Backfilling []time.Time `json:"backfilling,omitempty"`
	// Recent are the newest runs, Missed the newest ticks that started nothing; newest last, ten
	// of each.
	Recent []Run  `json:"recent,omitempty"`
	Missed []Span `json:"missed,omitempty"`
	// Started and MissedTicks count all of them.
	Started     int `json:"started,omitempty"`
	MissedTicks int `json:"missed_ticks,omitempty"`
}

// ran notes a run.
func (s *State) ran(r Run) {
	s.Started++
	s.Recent = newest(append(s.Recent, r))
}

// knows reports whether a tick waits, or is among the newest that were started.
func (s *State) knows(tick time.Time) bool {
	return slices.ContainsFunc(s.Buffered, tick.Equal) || slices.ContainsFunc(s.Backfilling, tick.Equal) ||
		slices.ContainsFunc(slices.Concat(s.Running, s.Recent), func(r Run) bool { return r.Instance == tickID(s.Definition.Name, tick) })
}

// ended notes how a run ended.
func (s *State) ended(instance, outcome, failure string) {
	for i := range s.Recent {
		if r := &s.Recent[i]; r.Instance == instance {
			r.Outcome, r.Failure = outcome, failure
		}
	}
}

// missed notes ticks that start nothing. Spans that follow each other for one reason become
// one.
func (s *State) missed(m Span) {
	s.MissedTicks += m.Ticks
	if n := len(s.Missed); n > 0 && s.Missed[n-1].Reason == m.Reason && !m.From.Before(s.Missed[n-1].To) && s.joins(s.Missed[n-1].To, m.From) {
		s.Missed[n-1].To, s.Missed[n-1].Ticks = m.To, s.Missed[n-1].Ticks+m.Ticks
		return
	}
	s.Missed = newest(append(s.Missed, m))
}

// joins reports whether no tick that was started, or waits, lies between two that were missed.
func (s *State) joins(from, to time.Time) bool {
	between := func(tick time.Time) bool { return tick.After(from) && tick.Before(to) }
	return !slices.ContainsFunc(s.Buffered, between) && !slices.ContainsFunc(s.Recent, func(r Run) bool { return between(r.Tick) })
}

func newest[T any](list []T) []T { return list[max(0, len(list)-kept):] }
