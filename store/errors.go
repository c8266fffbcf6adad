package store

import (
	"errors"
	"fmt"
)

// Errors that a Store returns, wrapped; test with errors.Is.
var (
	// ErrConflict means that another writer was first, or may have been. A store may return it
	// although no other writer wrote, for example when an item is locked by a transaction that then
	// fails. ErrConflict guarantees that this write has had no effect and never will. Read again
	// and decide again.
	ErrConflict = errors.New("store: conflict: another writer was first")
	// ErrNotFound means that the instance has no record.
	ErrNotFound = errors.New("store: instance not found")
	// ErrUnavailable means throttling or a temporary fault; the call had no effect.
	ErrUnavailable = errors.New("store: unavailable, try again")
	// ErrUnknownOutcome means that a write may have succeeded, or may still succeed.
	ErrUnknownOutcome = errors.New("store: outcome of the write is unknown")
	// ErrInvalidTurn means that a turn is empty, has a gap or repeats an event id.
	ErrInvalidTurn = errors.New("store: invalid turn")
	// ErrBadPageToken means that a page token is invalid or belongs to a different query.
	ErrBadPageToken = errors.New("store: page token does not belong to this query")
	// ErrBadSearch means that a search condition is invalid.
	ErrBadSearch = errors.New("store: invalid search condition")
)

// RecordConflictError is returned if the condition on the record did not hold. It is an
// ErrConflict.
type RecordConflictError struct {
	Instance string
	// Found is the existing record; nil if there is none.
	Found *Record
}

func (e *RecordConflictError) Error() string {
	if e.Found == nil {
		return fmt.Sprintf("store: instance %q has no record, so its condition does not hold", e.Instance)
	}
	return fmt.Sprintf("store: record of instance %q (execution %d, status %s) does not meet the condition", e.Instance, e.Found.ExecutionID, e.Found.Status)
}

// Is reports true for ErrConflict.
func (e *RecordConflictError) Is(target error) bool { return target == ErrConflict }

// TooLargeError is returned if a commit cannot be written atomically.
type TooLargeError struct {
	Instance    string
	ExecutionID int64
	// EventID of the largest event of the commit, and a description of its payload.
	EventID int64
	What    string
	// Size of that event and of the whole commit, in bytes.
	EventSize, CommitSize int
	// Limit that is exceeded: "4 MB a transaction", "100 items a transaction", "400 KB an item".
	Limit string
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("store: turn of instance %q execution %d is too large to commit atomically (%d bytes; limit: %s); its largest event is %d, the %s (%d bytes): pass a reference instead of the value, or do less in one turn",
		e.Instance, e.ExecutionID, e.CommitSize, e.Limit, e.EventID, e.What, e.EventSize)
}

// CorruptError is returned if the stored items are not a valid history.
type CorruptError struct {
	Instance    string
	ExecutionID int64
	EventID     int64
	Reason      string
	// Unconfirmed is set if the event EventID was not found, which can also happen to a Read in the
	// middle of a commit; ReadIsolated distinguishes the two. An item that exists and cannot be
	// part of a history needs no confirmation, because stored items never change.
	Unconfirmed bool
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("store: history of instance %q execution %d is corrupt at event %d: %s", e.Instance, e.ExecutionID, e.EventID, e.Reason)
}

// NotFound returns an ErrNotFound that names the instance.
func NotFound(instance string) error { return notFoundError(instance) }

// notFoundError is the id of the instance that was not found. Its text is built only when it is used,
// because the host looks up every new instance and expects this error.
type notFoundError string

func (e notFoundError) Error() string {
	return fmt.Sprintf("%v: %q has no record; it was never started, or its start is still queued", ErrNotFound, string(e))
}

func (notFoundError) Unwrap() error { return ErrNotFound }
