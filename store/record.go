package store

import (
	"bytes"
	"iter"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// Status of an instance.
type Status string

// The statuses. A stuck, corrupt or suspended instance is still running, but lists show it under
// StatusStuck, StatusCorrupt or StatusSuspended instead of StatusRunning. They show an instance that is
// stuck and suspended under StatusSuspended.
const (
	StatusRunning    Status = "running"
	StatusCompleted  Status = "completed"
	StatusFailed     Status = "failed"
	StatusCancelled  Status = "cancelled"
	StatusTerminated Status = "terminated"
	StatusStuck      Status = "stuck"
	StatusCorrupt    Status = "corrupt"
	StatusSuspended  Status = "suspended"
	// StatusScheduled means that the instance is suspended from its start until a time.
	StatusScheduled Status = "scheduled"
	// StatusQueued means that the instance is suspended until it gets a permit of a limit.
	StatusQueued Status = "queued"
	// StatusForking means that a fork whose copy takes several commits is being written. ExecutionID is
	// the number that it reserves. The instance has not started, and only its start can continue it.
	StatusForking Status = "forking"
)

// Terminal reports whether the instance has ended.
func (s Status) Terminal() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled || s == StatusTerminated
}

// Record is the instance record: a projection of history, plus fields that are not in the history.
type Record struct {
	Instance    string
	ExecutionID int64
	// StartID of the start that created the instance.
	StartID string
	// EarlierStarts are the start ids of earlier runs, if the instance was restarted: the newest last, at
	// most MaxEarlierStarts. They identify a repeat of one of these starts, which has no effect.
	EarlierStarts []string
	Name          string
	Version       string
	// Status under which the instance is listed.
	Status Status
	// CreatedAt is when the first execution started, or when the instance was last restarted. A
	// redrive does not change it.
	CreatedAt time.Time
	UpdatedAt time.Time
	// EndedAt is zero while the instance runs.
	EndedAt time.Time
	// FirstExecution is the number of the first execution that is kept: 1 or, if an instance with
	// this id was purged before, one more than the last execution of that instance. So nothing that
	// is derived from the number (tokens, ids of children, idempotency keys) ever repeats. It
	// increases when executions are pruned.
	FirstExecution int64
	// Pruned is how many executions of the instance were pruned: FirstExecution is past them, and their
	// histories are deleted or will be.
	Pruned int64
	// States are the states that the code has set, as history.EncodeStates returns them; nil for none.
	States []byte
	Output []byte
	// SearchAttributes of the instance; nil for none.
	SearchAttributes history.SearchAttributes
	// StatesCodec is the codec of States, Codec that of Output and of the details of Failure; empty if
	// they are not encoded. Each has its own codec, so that changing one payload does not require writing
	// the others again.
	StatesCodec string
	Codec       string
	Failure     *history.Failure
	Parent      *history.Parent
	// Origin of a redriven instance is the instance itself and the execution that was redriven
	// last; of a fork, the instance and execution that it was forked from. FairnessGroup comes from
	// the start. It is stored for future use.
	Origin        *history.Origin
	FairnessGroup string

	// Problem is why the instance is stuck or corrupt; nil otherwise.
	Problem *Problem
	// Suspension is set while the instance is suspended, with the time, actor and reason; nil otherwise.
	// It is a projection of history.
	Suspension *Suspension
	// Suspect is the id of a message that is being processed and was received so often that it may kill
	// its process; "#2" is appended when a process finds the id of its own message here again. Empty if
	// there is none.
	Suspect string
	// Dispatched is the progress of a dispatch that could not be finished in its invocation, in the format
	// of package host; empty if no dispatch was cut short.
	Dispatched string
	// LoopedAt is when a message of the instance was last delayed because the instance loops without a
	// pause; zero for never.
	LoopedAt time.Time
	// Awaits is set when a process leaves the instance's messages to another build because its own build
	// cannot use the history; nil if that never happened. Its Kind is "patch"; "newer" for a kind of
	// event; or "codec" for payloads. It is valid until NextMS, which later deliveries of the messages
	// extend: see Record.Awaiting. It is never cleared.
	Awaits *Problem
	// Unreported are events about the instance that were written together with a change of Problem and may
	// not have been published yet, as JSON; empty if there are none, and always if the program
	// publishes no events.
	Unreported string
	// Stamp is incremented each time that Problem is set, replaced or cleared, or the instance is
	// suspended or resumed; 0 before the first time. A writer that does one of these, or ends the
	// instance, requires the number that it has read (RecordCondition.Stamp), so only one of two such
	// writers succeeds.
	Stamp int64
	// Forked is the number of times that the instance was forked. Forks are its newest forks, the
	// newest last, at most MaxForks. A fork is noted here before it starts, so some of these forks
	// may not have started.
	Forked int64
	Forks  []string
	// Reserved is the execution number that a redrive or a fork has reserved to write its copy in several
	// commits; zero for none. Only the start that it names makes the number current. An instance never
	// runs while a number is reserved.
	Reserved Reservation
	// Skipped are the numbers from FirstExecution on that were reserved and never became current, in
	// order. Nothing reads what is stored under them.
	Skipped []int64
	// Purged marks a tombstone: only Instance, ExecutionID, StartID, Reserved and FreeAt
	// are set.
	Purged bool
	// FreeAt is when the id of a tombstone can be reused. It is compared with a clock; tombstones are
	// never deleted. If it is zero, the tombstone reserves no id, and refuses only the start StartID.
	FreeAt time.Time
}

// Reservation is a reserved execution number.
type Reservation struct {
	ExecutionID int64 `json:"execution_id"`
	// StartID of the start that reserved the number; empty if that start has released the number.
	StartID string `json:"start_id,omitempty"`
}

// Free reports whether the record is a tombstone whose id can be reused.
func (r *Record) Free(now time.Time) bool { return r.Purged && !r.FreeAt.After(now) }

// KnowsStart reports whether this start started the instance, now or in an earlier run.
func (r *Record) KnowsStart(id string) bool {
	return r.StartID == id || slices.Contains(r.EarlierStarts, id)
}

// Next returns the number of the execution that a start makes current next: the number that this start
// has reserved, or the one after all that were used or reserved.
func (r *Record) Next(startID string) int64 {
	if r.Reserves(startID) {
		return r.Reserved.ExecutionID
	}
	return r.Highest() + 1
}

// Highest returns the highest execution number that was used or reserved.
func (r *Record) Highest() int64 { return max(r.ExecutionID, r.Reserved.ExecutionID) }

// Reserves reports whether this start has reserved the next number.
func (r *Record) Reserves(startID string) bool {
	return r.Reserved.StartID != "" && r.Reserved.StartID == startID && !r.Purged
}

// GiveUp returns the change that gives up the reserved number, so that it never becomes current.
func (r *Record) GiveUp() RecordChange {
	return RecordChange{If: RecordCondition{Exists: true, Reserved: &r.Reserved}, Reserved: &Reservation{ExecutionID: r.Reserved.ExecutionID}, UpdatedAt: r.UpdatedAt}
}

// Executions returns the numbers of the executions that are kept, in order. It leaves out those that
// never became current, and has none if the instance has not started yet.
func (r *Record) Executions() iter.Seq[int64] {
	last := r.ExecutionID
	if r.Status == StatusForking {
		last = 0
	}
	return Executions(r.FirstExecution, last, r.Skipped)
}

// Executions returns the numbers from first (at least 1) to last, without the skipped ones.
func Executions(first, last int64, skipped []int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for n := max(first, 1); n <= last; n++ {
			if !slices.Contains(skipped, n) && !yield(n) {
				return
			}
		}
	}
}

// KnowsFork reports whether the record lists the instance among its forks.
func (r *Record) KnowsFork(instance string) bool { return slices.Contains(r.Forks, instance) }

// StartsBefore returns the EarlierStarts for the next run.
func (r *Record) StartsBefore() []string {
	all := append(slices.Clone(r.EarlierStarts), r.StartID)
	return all[max(0, len(all)-MaxEarlierStarts):]
}

// Prune returns the change that makes `first` the first execution that is kept. Of two such changes
// that were made from the same record, one fails, so the number never decreases.
func (r *Record) Prune(first int64, now time.Time) RecordChange {
	found, pruned := r.FirstExecution, r.Pruned
	for range Executions(r.FirstExecution, first-1, r.Skipped) {
		pruned++
	}
	return RecordChange{If: RecordCondition{Exists: true, FirstExecution: &found}, FirstExecution: &first, Pruned: &pruned, UpdatedAt: now}
}

// Fork returns the change that records a fork of this instance. Of two such changes that were made from
// the same record, one fails. The change does not alter UpdatedAt of an ended instance.
func (r *Record) Fork(instance string, now time.Time) RecordChange {
	found, forked, forks := r.Forked, r.Forked+1, append(slices.Clone(r.Forks), instance)
	forks = forks[max(0, len(forks)-MaxForks):]
	c := RecordChange{If: RecordCondition{Exists: true, Forked: &found}, Forked: &forked, Forks: &forks, UpdatedAt: now}
	if r.Status.Terminal() {
		c.If.Ended, c.If.ExecutionID, c.UpdatedAt = true, r.ExecutionID, r.UpdatedAt
	}
	return c
}

// Hidden returns the tombstone that Hide makes of a record. If the record is already hidden, FreeAt may
// increase but never decreases.
func (r Record) Hidden(freeAt time.Time) Record {
	if !r.Purged || freeAt.After(r.FreeAt) {
		r.FreeAt = freeAt
	}
	r.Purged = true
	return r.Stored()
}

// Stored returns the record as every store keeps it: a copy that shares no memory with r, with times in
// UTC and whole milliseconds, and with empty values as nil. A tombstone keeps only its few fields.
func (r Record) Stored() Record {
	if r.Purged {
		return Record{Instance: r.Instance, ExecutionID: r.ExecutionID, StartID: r.StartID, Reserved: r.Reserved, Purged: true, FreeAt: storedTime(r.FreeAt)}
	}
	r.CreatedAt, r.UpdatedAt, r.EndedAt = storedTime(r.CreatedAt), storedTime(r.UpdatedAt), storedTime(r.EndedAt)
	r.LoopedAt = storedTime(r.LoopedAt)
	r.States, r.Output = cloneBytes(r.States), cloneBytes(r.Output)
	r.SearchAttributes = r.SearchAttributes.With(nil)
	r.EarlierStarts, r.Forks, r.Skipped = slices.Clone(r.EarlierStarts), slices.Clone(r.Forks), slices.Clone(r.Skipped)
	if r.Failure != nil {
		f := *r.Failure
		f.Details = cloneBytes(f.Details)
		r.Failure = &f
	}
	r.Parent = clone(r.Parent)
	if r.Problem = clone(r.Problem); r.Problem != nil {
		r.Problem.Diff = clone(r.Problem.Diff)
	}
	r.Origin = clone(r.Origin)
	r.Suspension, r.Awaits = clone(r.Suspension), clone(r.Awaits)
	return r
}

func clone[T history.Parent | history.Origin | Problem | ProblemDiff | Suspension](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloneBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return bytes.Clone(b)
}

func storedTime(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// TerminalStatuses lists the statuses of an instance that has ended.
func TerminalStatuses() []Status {
	return []Status{StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated}
}
