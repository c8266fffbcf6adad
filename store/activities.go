package store

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Activities is the table of what activity workers keep: one item an activity
// at most, which expires by itself some time after the expiresAt given last. It
// returns the errors of Store.
type Activities interface {
	// RequestStop asks the activity of a scheduling event to stop. Repeating
	// it is not an error; the first reason stays.
	RequestStop(ctx context.Context, key ActivityKey, reason string, expiresAt time.Time) error

	// State returns what is known of an activity; the zero state if nothing.
	State(ctx context.Context, key ActivityKey) (ActivityState, error)

	// Heartbeat records a sign of life of an attempt, and returns the state
	// with it. Nil details leave the recorded details. One of an
	// attempt before the last that was recorded changes nothing.
	Heartbeat(ctx context.Context, key ActivityKey, beat Heartbeat, expiresAt time.Time) (ActivityState, error)

	// Claim claims an attempt for the worker that is about to make it. The first
	// claim of an attempt is granted, and so are repeats of it with the same
	// token. Any other, and one of an earlier attempt than the last that was
	// claimed, is refused: *ClaimedError with the claim that stands.
	Claim(ctx context.Context, key ActivityKey, claim Claim, expiresAt time.Time) error

	// MarkSuspect notes that an attempt is about to be made which may kill its
	// process, or, with the zero Suspect, removes the note. It replaces whatever
	// note there is.
	MarkSuspect(ctx context.Context, key ActivityKey, suspect Suspect, expiresAt time.Time) error

	// NoteNext notes the attempt that follows a failed one, for consoles: the
	// history says nothing of it before the activity ends. An earlier attempt than
	// the last that was noted changes nothing, and is not an error.
	NoteNext(ctx context.Context, key ActivityKey, next NextAttempt, expiresAt time.Time) error
}

// ActivityKey names an activity: its scheduling event.
type ActivityKey struct {
	Instance    string
	ExecutionID int64
	EventID     int64
}

// ActivityState is what is known of an activity outside its history.
type ActivityState struct {
	// Stop was asked for, for this reason.
	Stop       bool
	StopReason string
	// Beat is the last heartbeat; the zero value if there was none.
	Beat Heartbeat
	// Suspect is the note of an attempt that has not returned; the zero value
	// if there is none.
	Suspect Suspect
	// Next is the attempt that was noted last as the one to follow; the zero
	// value if none was. It stays when that attempt has begun.
	Next NextAttempt
	// Earlier are the notes of the attempts before Next, oldest first: at most MaxEarlier,
	// without DueAt, and with texts of at most MaxEarlierText.
	Earlier []NextAttempt
	// Claim is held by an attempt of an activity that is made at most once; the zero value if
	// there is none.
	Claim Claim
}

// NextAttempt is an attempt that follows one which failed.
type NextAttempt struct {
	// Attempt, from 2; 0 for none.
	Attempt int
	// DueAt is when it may begin at the earliest, NotedAt when the one before it
	// had failed, by the clock of its worker.
	DueAt, NotedAt time.Time
	// StartedAt is when the attempt began that failed, by the same clock, and RequestID
	// the invocation that made it; zero and empty where its worker did not say.
	StartedAt time.Time
	RequestID string
	// Actor is on whose behalf that attempt was made before it was due; empty for one that
	// began by itself.
	Actor string
	// Kind of that failure, one of the history.Failure constants, and its text,
	// at most MaxNextText bytes.
	Kind, Message string
}

// Note notes the attempt that follows in the state, as NoteNext does, and reports whether
// it has changed it: a database that keeps a state as a whole has no other rule.
func (s *ActivityState) Note(next NextAttempt) bool {
	if next.Attempt < s.Next.Attempt {
		return false
	}
	notes := slices.Clone(s.Earlier) // the state before may be shared
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

// Earlier is what is kept of a note when a later attempt has been noted.
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

// Heartbeat is a sign of life of an attempt.
type Heartbeat struct {
	// Attempt that it is of, from 1.
	Attempt int
	// At which time.
	At time.Time
	// Details that the attempt gave with it, JSON; nil for none. The next
	// attempt can read them.
	Details []byte
	// Codec of Details; empty for plain.
	Codec string
}

// Suspect notes an attempt that may kill its process: a process that returns from
// the attempt removes the note, one that dies leaves it.
type Suspect struct {
	// Attempt that it is of, from 1; 0 for no note.
	Attempt int
	// Deaths is how many processes in a row have died in attempts of the activity
	// before this one, as earlier marks told.
	Deaths int
	// Until when the attempt may take. Before, the note says nothing: the attempt
	// may be under way.
	Until time.Time
}

// Claim is the right to make one attempt.
type Claim struct {
	// Attempt, from 1.
	Attempt int
	// Token names the claim: random, new for each delivery of the attempt's message.
	// It proves nothing and is not empty; nothing checks its length.
	Token string
	// Until when the attempt may take; the zero time says that it is over.
	Until time.Time
}

// ClaimedError says that an attempt was claimed by another before.
type ClaimedError struct {
	Key ActivityKey
	// Found is the claim that stands.
	Found Claim
}

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("store: attempt %d of activity %d of instance %q execution %d has been claimed by another delivery, until %s",
		e.Found.Attempt, e.Key.EventID, e.Key.Instance, e.Key.ExecutionID, e.Found.Until.UTC().Format(time.RFC3339))
}
