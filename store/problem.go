package store

import (
	"strings"
	"time"
)

// Kinds of problem in addition to those of engine.StuckKind, which the code causes: a message killed its
// process, and the stored items are not a valid history.
const (
	ProblemKilled  = "killed"
	ProblemCorrupt = "corrupt"
)

// Problem is why an instance is stuck or corrupt.
type Problem struct {
	// Kind is "nondeterminism", "panic", "not_registered", "blocked", "deadlock" or "limit", which the
	// code causes, or "killed" or "corrupt".
	Kind string `json:"kind"`
	// Message says what was wrong, where, and what to do.
	Message string `json:"message"`
	// EventID of the event that the problem concerns; 0 for none.
	EventID int64 `json:"event_id,omitempty"`
	// Diff is the difference between code and history, for a nondeterminism; nil otherwise, and in records
	// of older builds.
	Diff *ProblemDiff `json:"diff,omitempty"`
	// Patch is set if the reason is a patch that another build has or has retired; empty otherwise.
	Patch string `json:"patch,omitempty"`
	// Stack trace, possibly cut.
	Stack string `json:"stack,omitempty"`
	// SinceMS is when the problem started, in Unix milliseconds.
	SinceMS int64 `json:"since_ms,omitempty"`
	// Tries is the number of times that the instance was tried.
	Tries int `json:"tries,omitempty"`
	// NextMS is when the sweep wakes the instance next, in Unix milliseconds; 0 (in records of older
	// builds) means immediately. A corrupt instance is never woken.
	NextMS int64 `json:"next_ms,omitempty"`
	// WokenMS is when a wake for this problem was sent, if that wake has not been processed yet; 0
	// otherwise.
	WokenMS int64 `json:"woken_ms,omitempty"`
	// Build of the last try; empty if the build has no name.
	Build string `json:"build,omitempty"`
	// ExecutionID and LastEventID identify the last event of the history when the problem was recorded; 0
	// in records of older builds. Events after it were recorded late, and the operations that they request
	// are sent again.
	ExecutionID int64 `json:"execution_id,omitempty"`
	LastEventID int64 `json:"last_event_id,omitempty"`
	// Wake is the id of the wake that caused the last try; empty if none did, and in records of older
	// builds. A wake never causes a second try.
	Wake string `json:"wake,omitempty"`
}

// Text returns the message, after the kind unless it begins with that.
func (p *Problem) Text() string {
	if strings.HasPrefix(p.Message, p.Kind) {
		return p.Message
	}
	return p.Kind + ": " + p.Message
}

// ProblemDiff is the difference between code and history.
type ProblemDiff struct {
	// Have describes the recorded event, and Did describes what the code did instead. Both may be
	// truncated.
	Have string `json:"have"`
	Did  string `json:"did"`
	// At is file:line of the call in your code; empty if no call is the cause.
	At string `json:"at,omitempty"`
}

// Awaiting returns why the instance waits, at the time now, for another build, as far as is known;
// nil if it waits for none.
func (r *Record) Awaiting(now time.Time) *Problem {
	if r.Awaits == nil || r.Problem != nil || r.Status.Terminal() || r.Awaits.NextMS <= now.UnixMilli() {
		return nil
	}
	return r.Awaits
}

// Suspension is why an instance runs no code.
type Suspension struct {
	// EventID of the OrchestrationSuspended.
	EventID int64 `json:"event_id"`
	// SinceMS is when that event was recorded, in Unix milliseconds.
	SinceMS int64 `json:"since_ms"`
	// UntilMS is when the instance continues by itself; 0 if it waits for a resume.
	UntilMS int64 `json:"until_ms,omitempty"`
	// Reason and Actor of the latest suspend with a reason since SinceMS, or of the latest suspend if
	// none has a reason, as the sender gave them; empty if the sender gave none.
	Reason string `json:"reason,omitempty"`
	Actor  string `json:"actor,omitempty"`
	// LimitKey is the key of the limit for whose permit the instance waits; empty if it waits for
	// no permit, or is also suspended for a different reason.
	LimitKey string `json:"limit_key,omitempty"`
}
