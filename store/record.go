package store

import (
	"bytes"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

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
	// StatusQueued: the instance is suspended until its turn under a limit has come.
	StatusQueued Status = "queued"
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
	// Untold are the events about the instance that were written with a change of Problem, and
	// may not have been published yet, as JSON; empty if there are none, and always if the
	// program publishes no events.
	Untold string
	// Stamp grows by one each time that Problem is set, replaced or cleared, or the instance is
	// suspended or resumed; 0 before the first time. A writer that does one of these, or ends
	// the instance, demands the stamp that it has read (RecordCondition.Stamp), so that one of
	// two such writers loses.
	Stamp int64
	// Forked is how often the instance was forked, Forks the newest of its forks, the newest
	// last, MaxForks of them. Who begins a fork notes it here first, so one or the other may not
	// have begun.
	Forked int64
	Forks  []string
	// Ahead is the execution of which a redrive has begun to write the beginning ahead of its
	// commit, 0 for none: if it never commits, a purge deletes those parts too.
	Ahead int64
	// Purged marks a tombstone: only Instance, ExecutionID, StartID, Ahead and FreeAt
	// are set.
	Purged bool
	// FreeAt is, of a tombstone, when its id may be started again. It is compared
	// with a clock; nothing deletes a tombstone. Zero, the tombstone holds no id,
	// and refuses the start StartID alone.
	FreeAt time.Time
}

// Kinds of problem besides engine.StuckKind, which the code causes: a turn ended its process,
// and the stored items are not a history.
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
	// Reason and Actor of the last suspend since then that gives a reason, or else of the last
	// one, as the sender says; empty where nothing was said.
	Reason string `json:"reason,omitempty"`
	Actor  string `json:"actor,omitempty"`
	// LimitKey is the key of the limit under which it waits for its turn; empty where it waits
	// for something else too.
	LimitKey string `json:"limit_key,omitempty"`
}

// Free reports whether it is a tombstone whose id may be started again.
func (r *Record) Free(now time.Time) bool { return r.Purged && !r.FreeAt.After(now) }

// KnowsStart reports whether the instance was begun by this start, now or in an earlier
// run.
func (r *Record) KnowsStart(id string) bool {
	return r.StartID == id || slices.Contains(r.EarlierStarts, id)
}

// KnowsFork reports whether an instance is among the forks that it names.
func (r *Record) KnowsFork(instance string) bool { return slices.Contains(r.Forks, instance) }

// StartsBefore returns what EarlierStarts of the next run are.
func (r *Record) StartsBefore() []string {
	all := append(slices.Clone(r.EarlierStarts), r.StartID)
	return all[max(0, len(all)-MaxEarlierStarts):]
}

// Prune returns the change by which first becomes the first execution that is kept. Of two
// that are made from one record, one loses, so that the number never goes back.
func (r *Record) Prune(first int64, now time.Time) RecordChange {
	found, pruned := r.FirstExecution, r.Pruned+first-max(r.FirstExecution, 1)
	return RecordChange{If: RecordCondition{Exists: true, FirstExecution: &found}, FirstExecution: &first, Pruned: &pruned, UpdatedAt: now}
}

// Fork returns the change by which an instance is noted as a fork of this one. Of two that are
// made from one record, one loses. One that has ended stays updated when it was.
func (r *Record) Fork(instance string, now time.Time) RecordChange {
	found, forked, forks := r.Forked, r.Forked+1, append(slices.Clone(r.Forks), instance)
	forks = forks[max(0, len(forks)-MaxForks):]
	c := RecordChange{If: RecordCondition{Exists: true, Forked: &found}, Forked: &forked, Forks: &forks, UpdatedAt: now}
	if r.Status.Terminal() {
		c.If.Ended, c.If.ExecutionID, c.UpdatedAt = true, r.ExecutionID, r.UpdatedAt
	}
	return c
}

// Hidden returns the tombstone that Hide makes of a record: of a record that is
// hidden already, FreeAt moves on, and never back.
func (r Record) Hidden(freeAt time.Time) Record {
	if !r.Purged || freeAt.After(r.FreeAt) {
		r.FreeAt = freeAt
	}
	r.Purged = true
	return r.Stored()
}

// Stored returns the record as every store keeps it: a copy that shares
// nothing with r, times in UTC and whole milliseconds, empty values nil. A
// tombstone keeps only its few fields.
func (r Record) Stored() Record {
	if r.Purged {
		return Record{Instance: r.Instance, ExecutionID: r.ExecutionID, StartID: r.StartID, Ahead: r.Ahead, Purged: true, FreeAt: storedTime(r.FreeAt)}
	}
	r.CreatedAt, r.UpdatedAt, r.EndedAt = storedTime(r.CreatedAt), storedTime(r.UpdatedAt), storedTime(r.EndedAt)
	r.LoopedAt = storedTime(r.LoopedAt)
	r.CustomStatus, r.Output = cloneBytes(r.CustomStatus), cloneBytes(r.Output)
	r.SearchAttributes = r.SearchAttributes.With(nil)
	r.EarlierStarts, r.Forks = slices.Clone(r.EarlierStarts), slices.Clone(r.Forks)
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
	r.Suspension = clone(r.Suspension)
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
