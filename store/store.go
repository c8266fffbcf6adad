package store

import (
	"context"
	"time"
)

// Store keeps histories and instance records. All methods may be called from
// several goroutines and processes at once; all reads are strongly consistent
// (List alone may lag, see there). Times are kept in whole milliseconds, UTC.
//
// Every method returns ErrUnavailable (wrapped) for throttling and passing
// faults: nothing has taken effect and the call may be repeated. A write whose
// outcome could not be learned returns ErrUnknownOutcome: it may have landed,
// or still land later. Reading back and finding nothing proves nothing: repeat
// the identical call, or hand the message back.
type Store interface {
	// Commit appends turns and changes the instance record, all of it or
	// nothing.
	//
	// Each turn must begin where its execution's stored history ends. The store
	// checks only that nothing is stored at First yet; that nothing is missing
	// before First is up to the writer, which has read the history. Events are
	// checked for gaps before anything is written (ErrInvalidTurn). If First
	// exists and the stored item has the same Token and the same content, this
	// commit has been made already and Commit returns nil. Otherwise ErrConflict.
	//
	// If the record's condition does not hold: *RecordConflictError with the
	// record found (errors.Is ErrConflict), also where First exists as well.
	//
	// A commit beyond what one transaction holds: *TooLargeError, before any
	// write.
	Commit(ctx context.Context, c Commit) error

	// WriteAhead stores a part of what a later commit takes over, where no Read sees it: its
	// events, under the name that is both its Token and its Ahead. Once all parts of a name
	// are stored, from event 1 on, the commit of a turn that names them (Turn.Ahead) makes
	// them the beginning of its execution. Until then nothing has changed.
	//
	// A name stands for one content and one way to cut it: a part that is stored already is
	// left as it is, and that is no error. Parts that no commit names are deleted with the
	// history of their execution.
	//
	// A part beyond what one item holds: *TooLargeError. ErrInvalidTurn as of Commit.
	WriteAhead(ctx context.Context, part Turn) error

	// Ahead returns the last event of the last part that is stored under a name; 0 for none.
	Ahead(ctx context.Context, instance string, executionID int64, name string) (int64, error)

	// Read returns the turns of an execution that hold events from event id
	// `from` (>= 1) on, in order, all pages. The first turn returned is cut to
	// begin with `from`. An incomplete tail of a split turn is not returned.
	// Empty if there are none, also for an unknown instance.
	//
	// A stored item that can't be decoded, a gap or overlap between turns, or
	// a history without its head: *CorruptError; an item written by a newer
	// build: history.ErrNewer (wrapped).
	//
	// For a moment, a Read during a commit may find part of it: the end of an execution and not
	// the start of the next, or the record (Describe) changed and not the turn that changed it.
	// A caller that appends after what it has read loses its conditional write then. A caller
	// that acts in another way on what it did not find asks ReadIsolated first.
	Read(ctx context.Context, instance string, executionID, from int64) ([]Turn, error)

	// Describe returns the instance record, also after a purge
	// (Record.Purged). ErrNotFound if there is none.
	Describe(ctx context.Context, instance string) (Record, error)

	// ReadIsolated returns the record and whether something is stored in the slot
	// eventID of an execution, both as of one moment at which no commit of either
	// is under way. eventID is where a turn begins: the one after the last event
	// that Read returned, 1 for the first. A turn that is stored in several items
	// is there only if all of them are.
	//
	// It is for what Read did not find: it takes a request in which DynamoDB
	// charges twice what Describe costs, and for the item in the slot as well.
	// While a commit is under way it waits, or returns ErrUnavailable.
	ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (Isolated, error)

	// UpdateRecord changes the record without touching history. It returns *RecordConflictError
	// if the condition does not hold. Only a Create makes a record or replaces a tombstone: any
	// other change of a missing record is a *RecordConflictError too, here and in Commit.
	UpdateRecord(ctx context.Context, instance string, change RecordChange) error

	// List returns records newest first, each exactly once over all pages.
	// Purged instances are not listed. ErrBadPageToken for a token of another
	// query, a *history.SearchAttributeError or an ErrBadSearch for conditions
	// that can't hold. The list may lag: a record that has just changed may be missing
	// for a moment, but none is listed under a status that it no longer has.
	List(ctx context.Context, q ListQuery) (ListPage, error)

	// Hide turns the record into a tombstone: only instance, last execution number, start id
	// and FreeAt are left. Condition: the record is of execution `executionID` and not running
	// (terminal status), otherwise *RecordConflictError. Hiding again is not an error, and
	// moves FreeAt on, never back.
	Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error

	// DeleteHistory deletes histories of the instance from the newest to the
	// oldest, or in any order in which an interruption never leaves a history
	// that looks like a valid shorter one, for executions 1 to upTo. It
	// deletes at most `limit` stored items in one call (0: no bound) and
	// reports whether all is done. Repeating it is not an error.
	DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error)
}

// Isolated is how an instance stands at one moment.
type Isolated struct {
	// Record, also after a purge; nil if there is none.
	Record *Record
	// Stored: the slot that was asked for is taken.
	Stored bool
}
