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
	// Number, from 1.
	Number int
	State  AttemptState
	// StartedAt and EndedAt by its worker's clock, but the end of the last one, which is
	// when that was recorded; zero where it is not known, or has not happened.
	StartedAt, EndedAt time.Time
	// DueAt is when one begins at the earliest that has not begun.
	DueAt time.Time
	// RequestID of the invocation that made it; empty where its worker has none.
	RequestID string
	// Actor is on whose behalf it was made before it was due; empty for one that began by
	// itself.
	Actor string
	// Failure of one that failed.
	Failure *history.Failure
	// Recorded: it stands in the history.
	Recorded bool
}

// AttemptState is how an attempt stands.
type AttemptState string

// The states of attempts.
const (
	AttemptDone      AttemptState = "done"
	AttemptFailed    AttemptState = "failed"
	AttemptCancelled AttemptState = "cancelled"
	// AttemptRunning: its code runs, as far as its worker or its last heartbeat says.
	AttemptRunning AttemptState = "running"
	// AttemptWaiting: it waits for its time, or for a worker.
	AttemptWaiting AttemptState = "waiting"
	// AttemptUnknown: it is due or under way, and nobody has said which; or its
	// activity ended before it did.
	AttemptUnknown AttemptState = "unknown"
)

// Row returns the row of an event; nil where there is none.
func (t *Timeline) Row(executionID, eventID int64) *Row {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.ExecutionID == executionID && r.EventID == eventID })
	if i < 0 {
		return nil
	}
	return &t.Rows[i]
}

// Noted reports whether the activities table may know of attempts of a row that its
// history does not have.
func (r *Row) Noted() bool {
	return r.Kind == KindActivity && (r.CompletedBy == 0 || r.Attempt > r.AttemptsMade+1 || r.Attempt == 0 && r.MaxAttempts > 1)
}

// Attempts are those of the activity at an event that are known, by their numbers: those
// in the history, and those of which the activities table knows. Numbers that are left out
// were not kept. Nil for what is no activity.
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
			// What ended it in place of an attempt names the last one that was made.
			if _, noted := found[a.Number]; !noted || !a.StartedAt.IsZero() {
				found[a.Number] = a
			}
		}
	case KindInline:
		// Each further attempt of an inline activity is scheduled anew.
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

// last is the attempt that ended a row.
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

// underWay is the newest attempt of a row that no completion has ended.
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

// Kept says which attempts of an activity are kept, for how long, and what it would cost
// to keep all; hypothetical: no table is charged for.
func (r *Row) Kept(hypothetical bool) string {
	if r.Kind == KindInline {
		return "An inline activity records every attempt."
	}
	text := fmt.Sprintf("The history keeps the last attempt. The newest %d that failed before it are kept for two weeks, in a note that each failure writes anyway.", store.MaxEarlier+1)
	if hypothetical {
		return text + " To keep all, each failure would write one more row."
	}
	return text + fmt.Sprintf(" To keep all, each failure would cost one more write: $%g a million.", bill.WriteUnits.Price())
}
