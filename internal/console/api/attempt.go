package api

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Attempts are the known attempts of an activity.
type Attempts struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	Name        string `json:"name"`
	// State of the activity, as in its timeline row.
	State       string `json:"state"`
	MaxAttempts int    `json:"max_attempts,omitempty"`
	// Now is the time of the response.
	Now time.Time `json:"now"`
	// Attempts in the order of their numbers. Attempts that are missing were not kept.
	Attempts []Attempt `json:"attempts"`
	// Kept describes which attempts are kept, for how long, and what it would cost to keep all.
	Kept string `json:"kept"`
	// Paused is the pause of the queue in which the next attempt waits.
	Paused *PausedQueue `json:"paused,omitempty"`
	// NotRead is why the attempts that are not in the history could not be read.
	NotRead string `json:"not_read,omitempty"`
}

// Attempt is one attempt of an activity.
type Attempt struct {
	timeline.Attempt
	// Failure without its stack and details, which the event has. For an attempt that is not in the
	// history, only the kind and the beginning of the message.
	Failure *wire.Failure `json:"failure,omitempty"`
}

// AttemptsOf returns the JSON form of the attempts of an activity. hypothetical is set if the
// instances are in no table that is charged for.
func AttemptsOf(instance string, r *timeline.Row, all []timeline.Attempt, now time.Time, hypothetical bool) Attempts {
	out := Attempts{Instance: instance, ExecutionID: r.ExecutionID, EventID: r.EventID, Name: r.Name, State: string(r.State), MaxAttempts: r.MaxAttempts,
		Now: now, Attempts: make([]Attempt, len(all)), Kept: r.Kept(hypothetical)}
	for i, a := range all {
		out.Attempts[i] = Attempt{a, bareFailureOf(a.Failure)}
	}
	return out
}
