package engine

import (
	"log/slog"

	"github.com/turnstile-go/turnstile/history"
)

// Input is what a run of an Execution needs from outside.
type Input struct {
	// NowMS is the time of the turn in Unix milliseconds. Events are recorded with it, timers start
	// from it, and Now returns it.
	NowMS int64
	// Seed is the source of GUIDs: each derives from the seed and the id of its event.
	// It must be random and different for each turn, because the same seed gives the
	// same GUIDs.
	Seed [16]byte
	// Arrivals in the order in which they arrived.
	Arrivals []Arrival
	// Park records the arrivals without running any code (rule 11: for an instance whose
	// code cannot run, or whose turn kills its process).
	Park bool
}

// Arrival is an incoming event: what a message reports.
type Arrival struct {
	// Event to record: OrchestrationStarted, OrchestrationCancelRequested,
	// ParentAttached, OrchestrationSuspended, OrchestrationResumed, OrchestrationRedriven
	// or a completion. Recording sets EventID and AtMS.
	Event history.Event
	// With are events that are recorded immediately after Event: the external events of a
	// start, after an OrchestrationSuspended if its code must not start yet, or the
	// events that a redrive keeps.
	With []history.Event
	// Queue is an OrchestrationSuspended that waits for a permit of a limit. It is recorded after
	// the resume of an execution that waited for its start time; nil without a limit.
	Queue *history.Event
	// ExecutionID that the message addresses; 0 means the current one.
	ExecutionID int64
	// Proven is set if the message has the token that was sent out for the event that the message
	// names, made with a key of the stack. The engine checks it for completions that name a source,
	// except inline ones.
	Proven bool
	// SourceAtMS is when the event that the message names (SourceEventID or Suspend) was recorded,
	// according to the message; 0 if the message does not give the time. If the history's event
	// with that id was recorded at a different time, the message is about an event that was lost
	// when the history was restored to an earlier time.
	SourceAtMS int64
	// Inline is set for the result of an inline activity, which the host ran itself.
	Inline bool
	// Suspend is the event id of an OrchestrationSuspended; 0 means any. An OrchestrationResumed
	// has an effect only if that suspend is the last one. An OrchestrationSuspended has an effect
	// only if the execution is still suspended since that event.
	Suspend int64
	// UseExisting records an OrchestrationStarted with a parent as ParentAttached, if the
	// instance already runs the same orchestration.
	UseExisting bool
}

// VerdictKind is what happened to an arrival.
type VerdictKind uint8

const (
	// Pending means that the arrival was not processed, because the run stopped before it. Run the
	// inline activities and pass the arrival in again.
	Pending VerdictKind = iota
	// Recorded means that the arrival was recorded in the history or, at a continue-as-new, in the
	// history of the next execution.
	Recorded
	// Duplicate means that the event is already in the history, at Verdict.EventID (0 if it is in
	// the history of an earlier execution).
	Duplicate
	// Late means that the arrival is for an older or ended execution, for a suspend that a later
	// suspend or resume has replaced, or for an event that was lost in a restore.
	Late
	// Misaddressed means that the arrival is for a newer execution, or names no scheduling event of
	// the right kind.
	Misaddressed
	// Forged means that the token is wrong or missing.
	Forged
	// Exists is the verdict on a start if a different start created the instance, whether the
	// instance still runs or has ended.
	Exists
	// Early means that the execution has not started.
	Early
	// Refused is the verdict on an update if the execution has already rejected MaxRejectedUpdates.
	Refused
)

// MaxRejectedUpdates is how many updates an execution rejects. It refuses later ones without recording
// them, so that rejections alone do not fill its history.
const MaxRejectedUpdates = 1000

var verdictNames = [...]string{"pending", "recorded", "duplicate", "late", "misaddressed", "forged", "exists", "early", "refused"}

// String returns the verdict in one lower-case word.
func (k VerdictKind) String() string {
	if int(k) < len(verdictNames) {
		return verdictNames[k]
	}
	return "unknown"
}

// Verdict is the result for one arrival.
type Verdict struct {
	Kind VerdictKind
	// EventID of the recorded event (Recorded, Duplicate); 0 if the event is in the history of
	// another execution.
	EventID int64
	// Reason in words, for Early, Late, Misaddressed, Forged, Exists and Refused.
	Reason string
}

// State is the state of an execution after a run.
type State uint8

const (
	// NotStarted means that there is no history, and the arrivals had no start.
	NotStarted State = iota
	// Waiting for arrivals.
	Waiting
	// RunInline means that the host must run the activities of Turn.Inline, then pass in the result
	// of the first of them, and then the arrivals that are still Pending.
	RunInline
	// Ended means that the last event is terminal.
	Ended
	// Stuck means that the code cannot continue, for the reason in Turn.Stuck (rule 11).
	Stuck
	// Suspended means that no code runs until a resume; see Turn.Suspended.
	Suspended
)

// Turn is the outcome of a run. It must become durable in this order: commit Events, with
// Cancelled in the same item and Next in the same transaction; then emit Logs and
// dispatch; then acknowledge the messages. If the commit loses to another process,
// discard the Execution.
type Turn struct {
	State State
	// Verdicts has one verdict for each arrival of the input.
	Verdicts []Verdict
	// Events to append. May be empty.
	Events []history.Event
	// Parked is set if the last arrivals among Events (or, without Events, those already recorded)
	// were recorded without running the code.
	Parked bool
	// Suspended is the OrchestrationSuspended since which no code runs, from this run or
	// an earlier one; nil if code may run. If the execution continued as new, it
	// describes the next execution. An instance can be suspended and stuck.
	Suspended *history.Event
	// SuspendedFor is the last suspend since Suspended that gives a reason, or the last suspend if
	// none gives one. Its reason and actor apply. The suspend of a start or of a limit gives no
	// reason.
	SuspendedFor *history.Event
	// Queued is set if the execution is suspended only because it waits for a permit of a limit.
	Queued bool
	// Resumed is set if the execution was suspended before this run and no longer is.
	Resumed bool
	// SuspendedUntilMS is the time at which the execution resumes by itself, in Unix
	// milliseconds, according to the last suspend; 0 if it waits for a resume.
	SuspendedUntilMS int64
	// Cancelled lists scheduling events, from this run or earlier ones, that this run cancelled or
	// that its end closed, in the order of cancellation. It lists only operations with something
	// outside to stop: queued activities, timers, children.
	Cancelled []int64
	// Reasons that the code gave for cancelling queued activities and children, by event
	// id; nil if there are none. Each has at most 1,024 bytes, and all distinct reasons
	// together have at most 8 KiB.
	Reasons map[int64]string
	// Next are the first events of the next execution, if this one ended with
	// OrchestrationContinuedAsNew: its OrchestrationStarted and the events that are
	// carried over.
	Next []history.Event
	// Inline are the open inline activities, in the order of scheduling.
	Inline []InlineCall
	// Stuck is the reason why the execution is stuck; nil if State is not Stuck. Instead is the
	// reason why the execution would have become stuck. It is set if, by policy, this run failed
	// the execution instead.
	Stuck, Instead *StuckError
	// Recovered is set if the code has processed arrivals that were parked before this run.
	Recovered bool
	// States are the states after this run, as history.EncodeStates returns them; nil if none was
	// ever set. StatesChanged is set if this run set a state; StatesWas are all states before that.
	States        []byte
	StatesChanged bool
	StatesWas     []byte
	// Search are the search attributes after this run. SearchSet are the attributes that this run
	// set, with no value for those that it removed. SearchWas are all attributes before this run
	// set any. Do not modify the maps.
	Search, SearchSet, SearchWas history.SearchAttributes
	// Logs to emit, in order, after the turn is committed.
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
	// AtMS is the time at which the activity, or its first attempt, was scheduled; see
	// Context.Inline.
	AtMS int64
	// Headers in addition to those of the execution's start.
	Headers map[string]string
}

// Log is a line that orchestration code logged, or a function that it registered with
// Context.AfterCommit.
type Log struct {
	Handler slog.Handler
	Record  slog.Record
	// EventID of the last event that was visited or that the code has recorded, whichever is
	// higher.
	EventID int64
	// Func is called instead of writing a line; see Context.AfterCommit.
	Func func()
}

// SetBefore merges the outcome of an earlier run of the same commit: the states and search
// attributes that the earlier run set, their values before that run, and whether the run resumed
// the execution.
func (t *Turn) SetBefore(earlier *Turn) {
	if earlier.StatesChanged {
		t.StatesChanged, t.StatesWas = true, earlier.StatesWas
	}
	t.Resumed = t.Resumed || earlier.Resumed && t.Suspended == nil
	if len(earlier.SearchSet) > 0 {
		t.SearchSet, t.SearchWas = searchSetBoth(earlier.SearchSet, t.SearchSet), earlier.SearchWas
	}
}
