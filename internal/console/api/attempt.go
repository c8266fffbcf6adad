package api

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Attempts are those of an activity that are known.
type Attempts struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	Name        string `json:"name"`
	// State of the activity, as its row of the timeline has it.
	State       string `json:"state"`
	MaxAttempts int    `json:"max_attempts,omitempty"`
	// Now is the time of the look.
	Now time.Time `json:"now"`
	// Attempts by their numbers. Numbers that are left out were not kept.
	Attempts []Attempt `json:"attempts"`
	// Kept says which attempts are kept, for how long, and what it would cost to keep
	// all.
	Kept string `json:"kept"`
	// Paused is the pause of the queue in which its next attempt waits.
	Paused *PausedQueue `json:"paused,omitempty"`
	// NotRead says why those that do not stand in the history could not be looked at.
	NotRead string `json:"not_read,omitempty"`
}

// Attempt is one attempt of an activity.
type Attempt struct {
	// Attempt is its number, from 1.
	Attempt int `json:"attempt"`
	// State: done, failed, cancelled, running; waiting for its time or for a worker;
	// unknown if no worker has recorded whether it runs.
	State string `json:"state"`
	// StartedAt and EndedAt by its worker's clock; the end of the last one is when that
	// was recorded. Left out where it is not known.
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// DueAt is the earliest time at which it starts.
	DueAt time.Time `json:"due_at,omitzero"`
	// RequestID names the worker: the invocation that made it. Left out where all runs in
	// one process.
	RequestID string `json:"request_id,omitempty"`
	// Actor is on whose behalf it was made before it was due, or the activity was completed
	// by hand, as the sender says.
	Actor string `json:"actor,omitempty"`
	// Failure without its stack and details: the event has them. Of one that is not
	// recorded its kind and the beginning of its text.
	Failure *wire.Failure `json:"failure,omitempty"`
	// Recorded: it stands in the history, and is kept for as long as that is.
	Recorded bool `json:"recorded,omitempty"`
}

// AttemptsOf returns the JSON form of the attempts of an activity; hypothetical: the
// instances are in no table that is charged for.
func AttemptsOf(instance string, r *timeline.Row, all []timeline.Attempt, now time.Time, hypothetical bool) Attempts {
	out := Attempts{Instance: instance, ExecutionID: r.ExecutionID, EventID: r.EventID, Name: r.Name, State: string(r.State), MaxAttempts: r.MaxAttempts,
		Now: now, Attempts: make([]Attempt, len(all)), Kept: r.Kept(hypothetical)}
	for i := range all {
		a := &all[i]
		out.Attempts[i] = Attempt{Attempt: a.Number, State: string(a.State), StartedAt: a.StartedAt, EndedAt: a.EndedAt, DueAt: a.DueAt, RequestID: a.RequestID, Actor: a.Actor,
			Failure: wire.FailureOf(a.Failure), Recorded: a.Recorded}
		if f := out.Attempts[i].Failure; f != nil {
			f.Details, f.Stack = nil, ""
		}
	}
	return out
}
