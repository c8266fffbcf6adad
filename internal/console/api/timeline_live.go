package api

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// LiveActivity is the stored state of an open activity that is not in its history.
type LiveActivity struct {
	// Heartbeat is the last heartbeat.
	Heartbeat *ActivityBeat `json:"heartbeat,omitempty"`
	// Next is the attempt that follows a failed one.
	Next *NextAttempt `json:"next,omitempty"`
	// Stop is set if the activity was asked to stop, for StopReason.
	Stop       bool   `json:"stop,omitempty"`
	StopReason string `json:"stop_reason,omitempty"`
	// SuspectAttempt is an attempt that may have killed its process; Deaths is how many earlier
	// attempts did.
	SuspectAttempt int `json:"suspect_attempt,omitempty"`
	Deaths         int `json:"deaths,omitempty"`
	// Claim of an attempt that runs at most once.
	Claim *AttemptClaim `json:"claim,omitempty"`
}

// AttemptClaim means that an attempt has started, and no worker starts it again.
type AttemptClaim struct {
	Attempt int `json:"attempt"`
	// Until is when it must have ended; omitted once it has ended.
	Until time.Time `json:"until,omitzero"`
}

// ActivityBeat is the last heartbeat of an activity.
type ActivityBeat struct {
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
	Details *Payload  `json:"details,omitempty"`
}

// NextAttempt is an attempt that follows a failed one.
type NextAttempt struct {
	Attempt int `json:"attempt"`
	// DueAt is when it may start, NotedAt when the previous attempt failed.
	DueAt   time.Time `json:"due_at"`
	NotedAt time.Time `json:"noted_at"`
	// Kind and Message of that failure.
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func liveOf(l *timeline.Live) *LiveActivity {
	if l == nil {
		return nil
	}
	out := &LiveActivity{Stop: l.Stop, StopReason: l.StopReason, SuspectAttempt: l.Suspect.Attempt, Deaths: l.Suspect.Deaths}
	if b := l.Beat; b.Attempt > 0 {
		out.Heartbeat = &ActivityBeat{Attempt: b.Attempt, At: b.At,
			Details: payloadOf(&history.Event{Payload: b.Details, Codec: b.Codec}, false)}
	}
	if n := l.Retry; n.Attempt > 0 {
		out.Next = &NextAttempt{Attempt: n.Attempt, DueAt: n.DueAt, NotedAt: n.NotedAt, Kind: n.Kind, Message: n.Message}
	}
	if c := l.Claim; c.Attempt > 0 {
		out.Claim = &AttemptClaim{Attempt: c.Attempt, Until: c.Until}
	}
	return out
}
