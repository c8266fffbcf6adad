package store

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/history"
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

	// Read returns the turns of an execution that hold events from event id
	// `from` (>= 1) on, in order, all pages. The first turn returned is cut to
	// begin with `from`. An incomplete tail of a split turn is not returned.
	// Empty if there are none, also for an unknown instance.
	//
	// A stored item that can't be decoded, a gap or overlap between turns, or
	// a history without its head: *CorruptError; an item written by a newer
	// build: history.ErrNewer (wrapped).
	//
	// A Read during a commit may find part of it, for a moment: the end of an
	// execution and not the start of the next, or the record (Describe) changed
	// and not the turn that changed it. A caller that appends after what it has
	// read loses its conditional write then. A caller that acts in another way on
	// what it did not find asks ReadIsolated first.
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

	// UpdateRecord changes the record without touching history. It returns
	// *RecordConflictError if the condition does not hold. Only a Create makes
	// a record or replaces a tombstone: any other change of one that is not
	// there is a *RecordConflictError too, here and in Commit.
	UpdateRecord(ctx context.Context, instance string, change RecordChange) error

	// List returns records newest first, each exactly once over all pages.
	// Purged instances are not listed. ErrBadPageToken for a token of another
	// query, a *history.SearchAttributeError or an ErrBadSearch for conditions
	// that can't hold. The list may lag: a record that has just changed may be missing
	// for a moment, but none is listed under a status that it no longer has.
	List(ctx context.Context, q ListQuery) (ListPage, error)

	// Hide turns the record into a tombstone: only instance, last execution
	// number, start id and FreeAt are left. Condition: the record is of execution
	// `executionID` and not running (terminal status), else *RecordConflictError.
	// Hiding again is not an error, and moves FreeAt on, never back.
	Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error

	// DeleteHistory deletes histories of the instance from the newest to the
	// oldest, or in any order in which an interruption never leaves a history
	// that looks like a valid shorter one, for executions 1 to upTo. It
	// deletes at most `limit` stored items in one call (0: no bound) and
	// reports whether all is done. Repeating it is not an error.
	DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error)
}

// Turn is one append to the history of an execution: what one commit made of
// it.
type Turn struct {
	Instance    string
	ExecutionID int64
	// Events, contiguous; the first one's EventID is the turn's slot.
	Events []history.Event
	// Token names this append: new for each content, the same only for
	// byte-identical repeats. 1 to MaxToken characters. It is a name and no
	// proof: completions are proved by tokens of another kind (package keyring).
	Token string
	// Messaged is set if the turn begins with an arrival from a message. (A
	// turn that answers parked arrivals, goes on with inline results, or is
	// the first round of a continued execution does not.)
	Messaged bool
	// Parked is set if the turn's last arrivals were recorded without running
	// the code. For logs and checks, not for replay.
	Parked bool
	// Cancelled lists the scheduling events (of this execution, in any turn)
	// that this turn cancelled, waits and inline activities too, and those that
	// it closed by ending and that the host must stop or remove outside. In the
	// order in which they were cancelled.
	Cancelled []int64
	// Reasons that the code gave for them, by event; nil for none. They go to
	// what is stopped, and stand here so that they can be sent again.
	Reasons map[int64]string
}

// First returns the event id of the turn's first event: its slot.
func (t *Turn) First() int64 { return t.Events[0].EventID }

// Last returns the event id of the turn's last event.
func (t *Turn) Last() int64 { return t.Events[len(t.Events)-1].EventID }

// Commit is what has to be written together.
type Commit struct {
	// Turns, one; or two when an execution ends as continued-as-new and the
	// next one starts.
	Turns []Turn
	// Record change; nil when the record stays as it is.
	Record *RecordChange
}

// Isolated is how an instance stands at one moment.
type Isolated struct {
	// Record, also after a purge; nil if there is none.
	Record *Record
	// Stored: the slot that was asked for is taken.
	Stored bool
}

// Status of an instance.
type Status string

// The statuses. Stuck, corrupt and suspended are not statuses but marks on a running
// instance; StatusStuck, StatusCorrupt and StatusSuspended exist for listing, where such
// an instance is found under them instead of under StatusRunning. One that is stuck and
// suspended is found under StatusSuspended.
const (
	StatusRunning    Status = "running"
	StatusCompleted  Status = "completed"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled"
	StatusTerminated Status = "terminated"
	StatusStuck      Status = "stuck"
	StatusCorrupt    Status = "corrupt"
	StatusSuspended  Status = "suspended"
	// StatusScheduled: the instance is suspended from its start until a time.
	StatusScheduled Status = "scheduled"
)

// Terminal reports whether the instance has ended.
func (s Status) Terminal() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled || s == StatusTerminated
}

// Record is the instance record: a projection of history plus the marks that
// are not history.
type Record struct {
	Instance    string
	ExecutionID int64
	// StartID of the start that won.
	StartID string
	// EarlierStarts are the start ids of the runs before this one, where the instance has
	// begun again: the newest last, MaxEarlierStarts of them. By them a repeat of one of
	// these starts is known, and begins nothing.
	EarlierStarts []string
	Name          string
	Version       string
	// Status is what the instance is listed under.
	Status    Status
	CreatedAt time.Time // start of the first execution, or of the one that began again
	UpdatedAt time.Time
	// EndedAt is zero while the instance runs.
	EndedAt time.Time
	// FirstExecution is the number of the first execution that is kept: 1, or, where the
	// id was purged and has become free since, one more than the last before. So
	// nothing that is derived from a number (tokens, the ids of children,
	// idempotency keys) is ever the same again. Where executions are pruned it moves on.
	FirstExecution int64
	// Pruned is how many executions of the instance were pruned: FirstExecution has moved
	// on past them, and their histories are deleted or will be.
	Pruned       int64
	CustomStatus []byte
	Output       []byte
	// SearchAttributes by which the instance is found; nil for none.
	SearchAttributes history.SearchAttributes
	// Codec of Output and CustomStatus; empty for plain.
	Codec   string
	Failure *history.Failure
	Parent  *history.Parent
	// Origin and FairnessGroup come from the start; reserved, and kept.
	Origin        *history.Origin
	FairnessGroup string

	// Problem says why the instance is stuck or corrupt; nil otherwise.
	Problem *Problem
	// Suspension says since when, by whom and why the instance is suspended; nil
	// otherwise. It is a projection of history.
	Suspension *Suspension
	// Suspect is the id of a message that is being handled and was received so
	// often that it may kill its process; with "#2" after it once the message, in
	// another process, has found its own id here. Empty if there is none.
	Suspect string
	// Dispatched says how far a dispatch came that could not be finished in its
	// invocation, in words of package host; empty if none was cut short.
	Dispatched string
	// LoopedAt is when something that the instance sends was slowed last, because it goes
	// on without a pause; zero for never.
	LoopedAt time.Time
	// Untold are the events about the instance that were written with a change of
	// Problem, and may not have been published yet, as JSON; empty where there are none,
	// as there never are where nobody subscribes.
	Untold string
	// Stamp grows by one each time that Problem is set, replaced or cleared, or the
	// instance is suspended or resumed; 0 before the first time. A writer that does one of these, or ends the
	// instance, demands the stamp that it has read (RecordCondition.Stamp), so
	// that of two such writers one loses.
	Stamp int64
	// Purged marks a tombstone: only Instance, ExecutionID, StartID and FreeAt
	// are set.
	Purged bool
	// FreeAt is, of a tombstone, when its id may be started again. It is compared
	// with a clock; nothing deletes a tombstone. Zero, the tombstone holds no id,
	// and refuses the start StartID alone.
	FreeAt time.Time
}

// Kinds of problem that are not the code's own (engine.StuckKind): a turn ended its
// process, and what is stored is no history.
const (
	ProblemKilled  = "killed"
	ProblemCorrupt = "corrupt"
)

// Problem is why an instance is stuck or corrupt.
type Problem struct {
	// Kind: "nondeterminism", "panic", "not_registered", "blocked", "deadlock" or
	// "limit", which are the code's own, "killed" or "corrupt".
	Kind string `json:"kind"`
	// Message says what was wrong, where, and what to do.
	Message string `json:"message"`
	// EventID it is about; 0 if about none.
	EventID int64 `json:"event_id,omitempty"`
	// Diff is, of a nondeterminism, where code and history part; nil otherwise, and
	// in records of older builds.
	Diff *ProblemDiff `json:"diff,omitempty"`
	// Stack, possibly cut.
	Stack string `json:"stack,omitempty"`
	// Since when, in Unix milliseconds.
	SinceMS int64 `json:"since_ms,omitempty"`
	// Tries so far.
	Tries int `json:"tries,omitempty"`
	// NextMS is when the sweeper wakes the instance next, in Unix milliseconds;
	// 0 (in records of older builds) means at once. A corrupt instance is never
	// woken.
	NextMS int64 `json:"next_ms,omitempty"`
	// WokenMS is when a wake for this mark was sent that is not handled yet;
	// 0 if none was.
	WokenMS int64 `json:"woken_ms,omitempty"`
	// Build that has tried last; empty where it has no name.
	Build string `json:"build,omitempty"`
	// ExecutionID and LastEventID name the last event of the history when the instance was
	// marked; 0 in records of older builds. What the code recorded after it landed late, and
	// is sent again.
	ExecutionID int64 `json:"execution_id,omitempty"`
	LastEventID int64 `json:"last_event_id,omitempty"`
	// Wake is the id of the wake for which the last try was made; empty if for none,
	// and in records of older builds. No other try is made for that wake.
	Wake string `json:"wake,omitempty"`
}

// ProblemDiff is what code and history disagree about.
type ProblemDiff struct {
	// Have is what history has at the event, Did what the code did instead, as
	// texts for people; they may be cut.
	Have string `json:"have"`
	Did  string `json:"did"`
	// At is file:line of the call in the author's code; empty where no call is to
	// blame.
	At string `json:"at,omitempty"`
}

// Suspension is why no code of an instance is run.
type Suspension struct {
	// EventID of the OrchestrationSuspended.
	EventID int64 `json:"event_id"`
	// SinceMS is when it was recorded, in Unix milliseconds.
	SinceMS int64 `json:"since_ms"`
	// UntilMS is when the instance goes on by itself; 0 where it waits for a resume.
	UntilMS int64 `json:"until_ms,omitempty"`
	// Reason that was given, and Actor on whose behalf, as the sender says; empty where
	// nothing was said.
	Reason string `json:"reason,omitempty"`
	Actor  string `json:"actor,omitempty"`
}

// RecordChange changes some fields of a record; nil fields stay as they are.
type RecordChange struct {
	// If is the condition under which the change (and all that is committed
	// with it) is made.
	If RecordCondition

	// Create replaces the whole record by this one (a start); all other
	// fields below are ignored then, but for SearchAttributes, which has without a
	// value those of the record before that Create has not.
	Create *Record

	ExecutionID *int64
	// FirstExecution and Pruned change together (Record.Prune).
	FirstExecution *int64
	Pruned         *int64
	Version        *string
	Status         *Status
	EndedAt        *time.Time
	CustomStatus   *[]byte
	Output         *[]byte
	Codec          *string
	Failure        **history.Failure
	Problem        **Problem // pointer to nil clears it
	Suspension     **Suspension
	Suspect        *string // empty clears it
	Dispatched     *string // empty clears it
	LoopedAt       *time.Time
	Untold         *string
	Stamp          *int64
	// SearchAttributes are those to be set; one without a value is removed, all
	// others stay. An index keeps them by the time of the start: the record's
	// CreatedAt must be FoundAt.
	SearchAttributes history.SearchAttributes
	FoundAt          time.Time
	// UpdatedAt is always set.
	UpdatedAt time.Time
}

// RecordCondition is a condition on the record; zero fields demand nothing.
type RecordCondition struct {
	// Absent: the record does not exist, or (with ExecutionID > 0) only a tombstone
	// whose execution number is ExecutionID, and whose id is free at the time At.
	Absent bool
	At     time.Time
	// Exists: there is a record that is not a tombstone.
	Exists bool
	// ExecutionID the record must have, if > 0.
	ExecutionID int64
	// Running: the record's status is not terminal.
	Running bool
	// Ended: there is a record, and its status is terminal.
	Ended bool
	// FirstExecution the record must have, if not nil.
	FirstExecution *int64
	// Stamp the record must have, if not nil.
	Stamp *int64
	// Suspect the record must have, if not nil.
	Suspect *string
}

// ListQuery selects records.
type ListQuery struct {
	// Status, empty for all.
	Status Status
	// Name of the orchestration, empty for all.
	Name string
	// Prefix is what the instance's id begins with; empty for all.
	Prefix string
	// From (inclusive) and To (exclusive) bound CreatedAt; zero for no bound.
	From, To time.Time
	// Where are conditions on the search attributes, all of which have to
	// hold. With the first "=" among them only instances that meet it are
	// looked at; the other conditions, Status and Name are then looked up in
	// their records, one by one. Without any "=", Status, Name, From and To
	// alone say whose records are looked at.
	Where []SearchCondition
	// PageSize, 1 to 1000; 0 means 100.
	PageSize int
	// PageToken of the page before; empty for the first.
	PageToken string
}

// ListPage is one page of records. NextPageToken is empty on the last. With
// ListQuery.Where or Prefix, or with both Status and Name, a page may be shorter than
// asked for, or empty, and not be the last: a call looks at a bounded number of records.
type ListPage struct {
	Records       []Record
	NextPageToken string
}
