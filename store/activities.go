package store

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Activities stores the records of activity workers: at most one item for each activity, which expires
// some time after the latest expiresAt. It returns the errors of Store.
type Activities interface {
	// RequestStop asks the activity of a scheduling event to stop. Repeating the request is not an
	// error; the first reason is kept.
	RequestStop(ctx context.Context, key ActivityKey, reason string, expiresAt time.Time) error

	// State returns what is stored about an activity; the zero state if nothing is.
	State(ctx context.Context, key ActivityKey) (ActivityState, error)

	// Heartbeat records a heartbeat of an attempt, and returns the state with it. Nil details keep the
	// recorded details. A heartbeat of an earlier attempt than the last one recorded changes nothing.
	Heartbeat(ctx context.Context, key ActivityKey, beat Heartbeat, expiresAt time.Time) (ActivityState, error)

	// Claim claims an attempt for the worker that is about to run it. The first claim of an attempt is
	// granted, and so are repeats with the same token. Any other claim, and a claim of an earlier
	// attempt than the last one claimed, is refused with a *ClaimedError that has the existing claim.
	Claim(ctx context.Context, key ActivityKey, claim Claim, expiresAt time.Time) error

	// SetSuspect records that an attempt that may kill its process is about to run. With the zero
	// Suspect, it removes the record. It replaces an existing record.
	SetSuspect(ctx context.Context, key ActivityKey, suspect Suspect, expiresAt time.Time) error

	// NoteNext records the attempt that follows a failed one, for consoles: the history does not
	// show it before the activity ends. If a later attempt has already been noted, NoteNext changes
	// nothing and returns no error.
	NoteNext(ctx context.Context, key ActivityKey, next NextAttempt, expiresAt time.Time) error
}

// ActivityKey identifies an activity by its scheduling event.
type ActivityKey struct {
	Instance    string
	ExecutionID int64
	EventID     int64
}

// ActivityState is what is stored about an activity outside its history.
type ActivityState struct {
	// Stop is set if a stop was requested, and StopReason is the reason.
	Stop       bool
	StopReason string
	// Beat is the last heartbeat; the zero value if there was none.
	Beat Heartbeat
	// Suspect records an attempt that has not returned; the zero value if there is none.
	Suspect Suspect
	// Next is the next attempt, as last recorded; the zero value if none was recorded. It is kept after
	// that attempt has started.
	Next NextAttempt
	// Earlier are the notes of the attempts before Next, oldest first: at most MaxEarlier, without
	// DueAt, and with messages of at most MaxEarlierText bytes.
	Earlier []NextAttempt
	// Claim of an attempt of an activity that runs at most once; the zero value if there is none.
	Claim Claim
}

// NextAttempt is an attempt that follows a failed one.
type NextAttempt struct {
	// Attempt, from 2; 0 for none.
	Attempt int
	// DueAt is the earliest time at which it may start. NotedAt is when the attempt before it failed,
	// by its worker's clock.
	DueAt, NotedAt time.Time
	// StartedAt is when the failed attempt started, by the same clock, and RequestID the invocation
	// that ran it; zero and empty if its worker did not record them.
	StartedAt time.Time
	RequestID string
	// Actor is the actor on whose behalf the failed attempt was started early; empty if it started by
	// itself.
	Actor string
	// Kind of the failure, one of the history.Failure constants, and its message, at most MaxNextText
	// bytes.
	Kind, Message string
}

// Note notes the next attempt in the state, with the rules of NoteNext, and reports whether the state
// has changed. Databases that store a state as a whole use it.
func (s *ActivityState) Note(next NextAttempt) bool {
	if next.Attempt < s.Next.Attempt {
		return false
	}
	notes := slices.Clone(s.Earlier) // the previous state may be shared
	if s.Next.Attempt > 0 && s.Next.Attempt < next.Attempt {
		notes = append(notes, s.Next.Earlier())
	}
	s.Earlier = slices.DeleteFunc(notes, func(n NextAttempt) bool { return n.Attempt < next.Attempt-MaxEarlier })
	if len(s.Earlier) == 0 {
		s.Earlier = nil
	}
	s.Next = next
	return true
}

// Earlier returns what is kept of a note after a later attempt has been noted.
func (n NextAttempt) Earlier() NextAttempt {
	n.DueAt = time.Time{}
	if end := MaxEarlierText; len(n.Message) > end {
		for end > 0 && !utf8.RuneStart(n.Message[end]) {
			end--
		}
		n.Message = n.Message[:end]
	}
	return n
}

// Heartbeat is a heartbeat of an attempt.
type Heartbeat struct {
	// Attempt that sent it, from 1.
	Attempt int
	// At is when it was sent.
	At time.Time
	// Details that the attempt sent with it, JSON; nil for none. The next attempt can read them.
	Details []byte
	// Codec of Details; empty if they are not encoded.
	Codec string
}

// Suspect records an attempt that may kill its process. A process that returns from the attempt removes
// the record; a process that dies leaves it.
type Suspect struct {
	// Attempt number, from 1; 0 for no record.
	Attempt int
	// Deaths is the number of processes in a row that, according to earlier records, have died in
	// attempts of the activity before this one.
	Deaths int
	// Until is the time at which the attempt must have ended. Before that time the record proves
	// nothing, because the attempt may still be running.
	Until time.Time
}

// Claim is the right to run one attempt.
type Claim struct {
	// Attempt, from 1.
	Attempt int
	// Token identifies the claim: random, new for each delivery of the attempt's message. It proves
	// nothing. It is not empty; its length is not checked.
	Token string
	// Until is the time at which the attempt must have ended; zero if it has ended already.
	Until time.Time
}

// ClaimedError is returned if another delivery has already claimed the attempt.
type ClaimedError struct {
	Key ActivityKey
	// Found is the existing claim.
	Found Claim
}

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("store: attempt %d of activity %d of instance %q execution %d has been claimed by another delivery, until %s",
		e.Found.Attempt, e.Key.EventID, e.Key.Instance, e.Key.ExecutionID, e.Found.Until.UTC().Format(time.RFC3339))
}
