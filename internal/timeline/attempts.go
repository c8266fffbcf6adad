package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/store"
)

// Attempt is one attempt of an activity.
type Attempt struct {
	// Number counts from 1.
	Number int `json:"attempt"`
	// State is "done", "failed", "cancelled" or "running"; "waiting" for its time or for a worker; or "unknown" if no worker has recorded
	// whether it runs.
	State AttemptState `json:"state"`
	// StartedAt and EndedAt are by the worker's clock, except the end of the last attempt, which is when the orchestrator recorded it.
	// Omitted if not known.
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// DueAt is the earliest time at which an attempt that has not started may start.
	DueAt time.Time `json:"due_at,omitzero"`
	// RequestID is the id of the invocation that made the attempt. Omitted if everything runs in one process.
	RequestID string `json:"request_id,omitempty"`
	// Actor is on whose behalf the attempt was started before it was due, or the activity was completed manually, according to the sender.
	Actor string `json:"actor,omitempty"`
	// Failure is set if the attempt failed.
	Failure *history.Failure `json:"-"`
	// Recorded is set if the attempt is in the history, and is kept as long as the history.
	Recorded bool `json:"recorded,omitempty"`
}

// AttemptState is the state of an attempt.
type AttemptState string

// The states of attempts.
const (
	AttemptDone      AttemptState = "done"
	AttemptFailed    AttemptState = "failed"
	AttemptCancelled AttemptState = "cancelled"
	// AttemptRunning means that its code runs, according to its worker or its last heartbeat.
	AttemptRunning AttemptState = "running"
	// AttemptWaiting means that it waits until it is due, or for a worker.
	AttemptWaiting AttemptState = "waiting"
	// AttemptUnknown means that it is due or under way and nothing records which, or that its activity ended first.
	AttemptUnknown AttemptState = "unknown"
)

// Row returns the row of an event, or nil if it has none.
func (t *Timeline) Row(executionID, eventID int64) *Row {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.ExecutionID == executionID && r.EventID == eventID })
	if i < 0 {
		return nil
	}
	return &t.Rows[i]
}

// Noted reports whether the activities table may know attempts of a row that its history does not contain.
func (r *Row) Noted() bool {
	return r.Kind == KindActivity && (r.CompletedBy == 0 || r.Attempt > r.AttemptsMade+1 || r.Attempt == 0 && r.MaxAttempts > 1)
}

// Attempts returns the known attempts of the activity at an event, ordered by number: those in the history and those in the activities
// table. Missing numbers were not kept. It returns nil if the event is not an activity.
func (t *Timeline) Attempts(executionID, eventID int64, state store.ActivityState, now time.Time) []Attempt {
	row := t.Row(executionID, eventID)
	if row == nil {
		return nil
	}
	found := map[int]Attempt{}
	switch row.Kind {
	case KindActivity:
		for _, n := range append(slices.Clone(state.Earlier), state.Next) {
			if n.Attempt < 2 {
				continue
			}
			found[n.Attempt-1] = Attempt{Number: n.Attempt - 1, State: AttemptFailed, StartedAt: n.StartedAt, EndedAt: n.NotedAt, RequestID: n.RequestID, Actor: n.Actor,
				Failure: &history.Failure{Kind: n.Kind, Message: n.Message, Attempt: n.Attempt - 1}}
		}
		if a, under := row.underWay(&state, now); under {
			found[a.Number] = a
		} else if a, made := row.last(); made {
			// If something other than an attempt ended the activity, the event names the last attempt that was made.
			if _, noted := found[a.Number]; !noted || !a.StartedAt.IsZero() {
				found[a.Number] = a
			}
		}
	case KindInline:
		// Each further attempt of an inline activity has a scheduling event of its own.
		first := cmp.Or(row.FirstEventID, row.EventID)
		for i := range t.Rows {
			r := &t.Rows[i]
			if r.ExecutionID != executionID || r.Kind != KindInline || cmp.Or(r.FirstEventID, r.EventID) != first {
				continue
			}
			if a, made := r.last(); made {
				found[a.Number] = a
			}
		}
	default:
		return nil
	}
	out := make([]Attempt, 0, len(found))
	for _, a := range found {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b Attempt) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

// last returns the attempt that ended a row.
func (r *Row) last() (Attempt, bool) {
	if r.CompletedBy == 0 || r.Attempt == 0 {
		return Attempt{}, false
	}
	a := Attempt{Number: r.Attempt, State: AttemptDone, StartedAt: r.StartedAt, EndedAt: r.EndedAt, RequestID: r.RequestID, Actor: r.Actor, Failure: r.Failure, Recorded: true}
	switch {
	case r.Failure != nil && r.Failure.Kind == history.FailureCancelled:
		a.State = AttemptCancelled
	case r.Failure != nil:
		a.State = AttemptFailed
	}
	return a, true
}

// underWay returns the newest attempt of a row that no completion has ended.
func (r *Row) underWay(state *store.ActivityState, now time.Time) (Attempt, bool) {
	if r.CompletedBy != 0 {
		return Attempt{}, false
	}
	l := Live{Beat: state.Beat, Retry: state.Next, Suspect: state.Suspect, Claim: state.Claim}
	a := Attempt{Number: max(l.attempt(), r.AttemptsMade+1), State: AttemptUnknown}
	switch l.doing(now) {
	case DoingRetry:
		a.State = AttemptWaiting
	case DoingRun:
		a.State = AttemptRunning
	}
	if l.Retry.Attempt == a.Number {
		a.DueAt = l.Retry.DueAt
	}
	if s := r.Seen; s != nil && s.Attempt >= a.Number {
		a.Number, a.StartedAt, a.State = s.Attempt, s.Since, AttemptRunning
		if s.Since.IsZero() {
			a.State = AttemptWaiting
		}
	}
	if r.State == StateClosed {
		a.State, a.DueAt = AttemptUnknown, time.Time{} // Its execution has ended.
	}
	return a, true
}

// Kept describes which attempts of an activity are kept, for how long, and what keeping all of them would cost. If hypothetical is set, no
// table is charged for.
func (r *Row) Kept(hypothetical bool) string {
	if r.Kind == KindInline {
		return "An inline activity records every attempt."
	}
	text := fmt.Sprintf("The history keeps the last attempt. The newest %d failed attempts before it are kept for two weeks, at no extra cost.", store.MaxEarlier+1)
	if hypothetical {
		return text + " Keeping all of them would write one more row per failure."
	}
	return text + fmt.Sprintf(" Keeping all of them would cost one more write per failure, $%g per million.", bill.WriteUnits.Price())
}
