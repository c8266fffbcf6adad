package engine

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/history"
)

// Input is what a run of an Execution needs from outside.
type Input struct {
	// NowMS is the time of the turn in Unix milliseconds: events are recorded
	// at it, timers count from it, Now returns it.
	NowMS int64
	// Seed makes GUIDs: each is derived from it and from its event's id. It
	// must be random and new for each turn; the same seed gives the same GUIDs.
	Seed [16]byte
	// Arrivals in the order in which they came.
	Arrivals []Arrival
	// Park records the arrivals without running any code (rule 11: for an
	// instance whose code cannot be run, or whose turn kills its process).
	Park bool
}

// Arrival is what came from outside in a message.
type Arrival struct {
	// Event to record: OrchestrationStarted, OrchestrationCancelRequested,
	// ParentAttached, OrchestrationSuspended, OrchestrationResumed, OrchestrationRedriven
	// or a completion. EventID and AtMS are set when it is recorded.
	Event history.Event
	// With are external events that a start brings, with an OrchestrationSuspended ahead
	// of them where its code is not to begin yet, and what a redrive carries on; they
	// are recorded right behind it.
	With []history.Event
	// Queue is the wait for a turn under a limit that follows a resume, if that ends the wait of a start for
	// its time; nil without a limit.
	Queue *history.Event
	// ExecutionID that the message is for; 0 means the current one.
	ExecutionID int64
	// Proven: the message brought back the token that was sent out for the
	// event that it names, under a key of the stack. Looked at for completions
	// that name a source, except inline ones.
	Proven bool
	// Inline marks the result of an inline activity, made by the host itself.
	Inline bool
	// Suspend is the OrchestrationSuspended that an OrchestrationResumed is for: it
	// counts only while no other has followed that one. Of an OrchestrationSuspended
	// it is that since which the execution has to be suspended still. 0 for any.
	Suspend int64
	// UseExisting has an OrchestrationStarted with a parent, which finds the
	// instance running the same orchestration, recorded as ParentAttached.
	UseExisting bool
}

// VerdictKind says what became of an arrival.
type VerdictKind uint8

const (
	// Pending: not looked at, because the run stopped before it: run the
	// inline activities and hand it in again.
	Pending VerdictKind = iota
	// Recorded in the history (or, at a continue-as-new, in the next one).
	Recorded
	// Duplicate of what stands in the history already, at Verdict.EventID (0
	// if in that of an earlier execution).
	Duplicate
	// Late: for an older execution, or for one that has ended.
	Late
	// Misaddressed: for a newer execution, or names no scheduling event of
	// its kind.
	Misaddressed
	// Forged: the token is wrong or missing.
	Forged
	// Exists: another start; the instance runs or has run already.
	Exists
	// Early: the execution has not started.
	Early
)

var verdictNames = [...]string{"pending", "recorded", "duplicate", "late", "misaddressed", "forged", "exists", "early"}

// String returns the verdict in one lower-case word.
func (k VerdictKind) String() string {
	if int(k) < len(verdictNames) {
		return verdictNames[k]
	}
	return "unknown"
}

// Verdict on one arrival.
type Verdict struct {
	Kind VerdictKind
	// EventID at which it stands (Recorded, Duplicate); 0 if in another
	// execution's history.
	EventID int64
	// Reason in words, for Late, Misaddressed, Forged and Exists.
	Reason string
}

// State says how an execution stands after a run.
type State uint8

const (
	// NotStarted: there is no history, and no start was among the arrivals.
	NotStarted State = iota
	// Waiting for arrivals.
	Waiting
	// RunInline: Turn.Inline has to be run; hand in the result of the first,
	// then the arrivals still Pending.
	RunInline
	// Ended: the last event is terminal.
	Ended
	// Stuck: the code can't go on; Turn.Stuck says why (rule 11).
	Stuck
	// Suspended: Turn.Suspended says since when. No code runs before it is resumed.
	Suspended
)

// Turn is the outcome of a run. What has to become durable, in this order:
// commit Events (with Cancelled beside them, and Next in the same transaction);
// then emit Logs and dispatch; then acknowledge. If the commit is lost, throw
// the Execution away.
type Turn struct {
	State State
	// Verdicts, one for each arrival of the input.
	Verdicts []Verdict
	// Events to append. May be empty.
	Events []history.Event
	// Parked is set if the last arrivals among Events (or, with no Events,
	// those already recorded) stand without having been run.
	Parked bool
	// Suspended is the OrchestrationSuspended since which no code runs, of this run or
	// earlier; nil while it may run. Where the execution continued as new, it is that
	// of the next one. An instance can be suspended and stuck.
	Suspended *history.Event
	// SuspendedFor is the last suspend since then that gives a reason, or else the last: its
	// reason and actor count. The suspend of a start or of a limit gives none.
	SuspendedFor *history.Event
	// Queued: it is suspended because it waits for its turn under a limit, and for nothing
	// else.
	Queued bool
	// Resumed: the execution was suspended before this run, and is not any more.
	Resumed bool
	// SuspendedUntilMS is when it goes on by itself, in Unix milliseconds, by the last
	// suspend; 0 where it waits for a resume.
	SuspendedUntilMS int64
	// Cancelled lists scheduling events, of this run or earlier, that were
	// cancelled by it, and those that its end closed and that have something
	// outside to stop: queued activities, timers, children. In the order in which
	// they were cancelled.
	Cancelled []int64
	// Reasons that the code gave for what this run cancelled of queued activities
	// and children, by event: nil for none, at most 1,024 bytes each and 8 KiB
	// together.
	Reasons map[int64]string
	// Next are the first events of the next execution, if this one ended with
	// OrchestrationContinuedAsNew: its OrchestrationStarted and what is carried
	// over.
	Next []history.Event
	// Inline are the open inline activities, in the order of scheduling.
	Inline []InlineCall
	// Stuck is the reason if State is Stuck. Instead is the reason where this run ended the
	// execution instead, because it is to fail where it would be stuck.
	Stuck, Instead *StuckError
	// Recovered is set if the run went past arrivals that stood parked.
	Recovered bool
	// CustomStatus as it stands after this run, nil if none was ever set;
	// StatusChanged if this run set it, and StatusWas what it was before that.
	CustomStatus  []byte
	StatusChanged bool
	StatusWas     []byte
	// Search are the search attributes as they stand after this run; SearchSet
	// those that this run set, with no value for those that it removed; SearchWas
	// all of them as they stood before it set one. Not to be changed.
	Search, SearchSet, SearchWas history.SearchAttributes
	// Logs to emit, in their order, once the turn is committed.
	Logs []Log
}

// End returns the terminal event that this turn appended, or nil.
func (t *Turn) End() *history.Event {
	if n := len(t.Events); n > 0 && t.Events[n-1].Kind.Terminal() {
		return &t.Events[n-1]
	}
	return nil
}

// InlineCall is an inline activity to run.
type InlineCall struct {
	// EventID of its ActivityScheduled.
	EventID int64
	Name    string
	Input   []byte
	Retry   *history.Retry
	// AtMS is when it was scheduled, or when its first attempt was: see Context.Inline.
	AtMS int64
	// Headers besides those of the execution's start.
	Headers map[string]string
}

// Log is a line that orchestration code logged, or a function that it wants
// called.
type Log struct {
	Handler slog.Handler
	Record  slog.Record
	// EventID is that of the last event that was visited or that the code has made,
	// whichever is later.
	EventID int64
	// Func to call in place of writing a line; see Context.AfterCommit.
	Func func()
}

// SetBefore takes in what an earlier run of the same commit set: its custom status and
// search attributes, and what they were before; and whether it has resumed the execution.
func (t *Turn) SetBefore(earlier *Turn) {
	if earlier.StatusChanged {
		t.StatusChanged, t.StatusWas = true, earlier.StatusWas
	}
	t.Resumed = t.Resumed || earlier.Resumed && t.Suspended == nil
	if len(earlier.SearchSet) > 0 {
		t.SearchSet, t.SearchWas = SearchSetBoth(earlier.SearchSet, t.SearchSet), earlier.SearchWas
	}
}
