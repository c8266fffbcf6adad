package store

import (
	"context"
	"time"
)

// Store stores histories and instance records. All methods may be called from several goroutines and
// processes at once. All reads are strongly consistent, except that List may lag. Times are stored in
// whole milliseconds, UTC.
//
// Every method returns ErrUnavailable (wrapped) for throttling and temporary faults: the call had no
// effect and may be repeated. A write whose outcome is unknown returns ErrUnknownOutcome: it may have
// succeeded, or may still succeed. If a later read does not find it, that proves nothing. Repeat the
// identical call, or return the message to the queue.
type Store interface {
	// Commit appends turns and changes the instance record, all or nothing.
	//
	// Each turn must begin where its execution's stored history ends. The store checks only that
	// nothing is stored at First yet; the writer, which has read the history, is responsible for the
	// events before First. Events are checked for gaps before anything is written (ErrInvalidTurn). If
	// First exists and the stored item has the same Token and the same content, this commit was already
	// made and Commit returns nil. Otherwise it returns ErrConflict.
	//
	// If the record's condition does not hold, Commit returns a *RecordConflictError with the record
	// found (errors.Is ErrConflict), even if First also exists.
	//
	// A commit that does not fit into one transaction is a *TooLargeError, before any write.
	Commit(ctx context.Context, c Commit) error

	// Read returns the turns of an execution that have events from event id `from` (>= 1) on, in order,
	// all pages. The first turn returned is cut to begin with `from`. An incomplete tail of a split
	// turn is not returned. The result is empty if there are no such turns, also for an unknown
	// instance.
	//
	// Errors: *CorruptError for a stored item that cannot be decoded, a gap or overlap between turns,
	// or a history without its beginning; history.ErrNewer (wrapped) for an item that a newer build
	// wrote.
	//
	// For a moment, a Read during a commit may find only part of it: the end of an execution without
	// the start of the next, or the changed record (Describe) without the turn that changed it. If a
	// caller then appends after the events that it has read, its conditional write fails. A caller that
	// takes any other action because it did not find something calls ReadIsolated first.
	Read(ctx context.Context, instance string, executionID, from int64) ([]Turn, error)

	// Describe returns the instance record, also after a purge (Record.Purged). Error: ErrNotFound if
	// there is none.
	Describe(ctx context.Context, instance string) (Record, error)

	// ReadIsolated returns the record, and whether something is stored in the slot eventID of an execution, both as of
	// one moment at which no commit to either is in progress. eventID is where a turn begins: the one after the last
	// event that Read returned, or 1 for the first. A turn that is stored in several items counts only if all of them
	// are stored.
	//
	// Use it only to confirm that something that Read did not find does not exist: on DynamoDB it
	// costs twice as much as Describe, plus the item in the slot. While a commit is in progress it
	// waits, or returns ErrUnavailable.
	ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (Isolated, error)

	// UpdateRecord changes the record without changing history. It returns a *RecordConflictError if
	// the condition does not hold. Only a Create creates a record or replaces a tombstone: any other
	// change of a missing record is also a *RecordConflictError, here and in Commit.
	UpdateRecord(ctx context.Context, instance string, change RecordChange) error

	// List returns records newest first, each exactly once over all pages. Purged instances are not
	// listed. Errors: ErrBadPageToken for a token of a different query, a
	// *history.SearchAttributeError or an ErrBadSearch for invalid conditions. The list may lag: a
	// record that has just changed may be missing for a moment, but it is never listed under a
	// status that it no longer has.
	List(ctx context.Context, q ListQuery) (ListPage, error)

	// Hide turns the record into a tombstone: only instance, last execution number, start id and
	// FreeAt are left, with the reservation. The record must be at execution `executionID` and have
	// a terminal status; otherwise Hide returns a *RecordConflictError. Hiding again is not an
	// error; it may increase FreeAt, but never decreases it.
	Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error

	// DeleteHistory deletes histories of the instance, for executions 1 to upTo. It deletes from the
	// newest to the oldest, or in another order in which an interruption never leaves a history that
	// looks like a valid shorter one. It deletes at most `limit` stored items in one call (0 for no
	// limit) and reports whether it is done. Repeating it is not an error.
	DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error)

	Answers
}

// Isolated is the state of an instance at one moment.
type Isolated struct {
	// Record is the record, also after a purge; nil if there is none.
	Record *Record
	// Stored is set if something is stored in the slot.
	Stored bool
}
