package engine

import (
	"log/slog"
	"sync/atomic"
	"unsafe"

	"github.com/turnstile-go/turnstile/history"
)

// Config says which execution it is and what it runs on.
type Config struct {
	Instance    string
	ExecutionID int64
	Registry    *Registry
	Options     Options
}

// Options bound and observe the code.
type Options struct {
	// MaxOperations bounds the scheduling events with which the code answers
	// one arrival; 0 means 10,000.
	// Code over it is stuck (kind limit).
	MaxOperations int
	// MaxCoroutines bounds the live coroutines of an execution; 0 means
	// 10,000. Code over it is stuck (kind limit).
	MaxCoroutines int
	// Guard watches over code that blocks outside durable operations; nil runs
	// it unwatched.
	Guard Guard
	// OnBlocked is told of code that the guard gave up: nil for nobody.
	OnBlocked func(Blocked)
	// LogHandler receives what Context.Logger logs, through Turn.Logs; nil
	// discards it.
	LogHandler slog.Handler
	// FailWhenStuck fails every orchestration where it would be stuck.
	FailWhenStuck bool
	// Conceal returns what stands in reasons in place of a payload: where
	// payloads are sealed, their text is kept out of records and logs. Nil shows the
	// first 120 bytes.
	Conceal func(payload []byte) string
}

const (
	defaultMaxOperations = 10_000
	defaultMaxCoroutines = 10_000
)

// Guard runs code that may block.
type Guard interface {
	// Run calls run on a goroutine of its choice and returns "" when it has
	// returned. If progress() stays the same for longer than the guard's
	// limit, it leaves run behind and returns the blocked goroutine's stack.
	Run(run func(), progress func() uint64) (blockedStack string)
}

// Blocked is code that blocks outside durable operations, and the goroutine that
// was left in it.
type Blocked struct {
	Instance    string
	ExecutionID int64
	// Unwinding: a deferred function blocks in Close, where no turn is stuck by
	// it.
	Unwinding bool
	// Stack of what blocks.
	Stack string
	// Over is closed when the goroutine has ended after all.
	Over <-chan struct{}
}

// Execution is one execution of an instance while it is replayed and run. It
// is used by one goroutine at a time.
type Execution struct {
	cfg    Config
	ledger ledger
	// events are all events, fed and appended: the history as it will be once
	// the turn is committed.
	events  pieces[history.Event]
	bytes   int // what the events take, about
	fed     int // how many of them were fed
	corrupt *CorruptionError
	// parkedTo is the id of the last event fed or recorded as parked, until this
	// execution has run its round: that was recorded without being run, so running
	// it now is the first time.
	parkedTo int64

	cursor cursor
	def    *Orchestration // resolved when OrchestrationStarted is visited
	info   Info           // what does not change of it, set ahead of all code

	// ops holds the operation that claimed the scheduling event, by event id,
	// while it is open.
	ops        pieces[*Future]
	futures    []Future // room for those to come in a replay
	openOps    int      // operations that something outside can still complete
	openInline inlineQueue
	external   externalEvents
	known      knownEvents
	patches    map[string]bool // which patches were asked for, and are there
	before     []string        // retired patches that the history is from before
	without    []string        // patches that the code asked for in recorded rounds without their marker
	root       *scope

	main       *coroutine
	coroutines []*coroutine // all that live, in the order of their start
	started    int          // how many were started
	ready      readyHeap
	current    *coroutine
	// owner is the goroutine of current, 0 while no code runs.
	owner    atomic.Uintptr
	readySeq int64
	nested   string // the side effect that runs now
	// intercepted names the interceptor whose own code runs now, barred is the
	// first durable call that it made.
	intercepted string
	barred      *MisuseError
	// inline names the inline activity that runs now, between two runs.
	inline atomic.Pointer[string]

	end *ending // how the main function ended
	// continues: the code called ContinueAsNew, last at continuedAt.
	continues   bool
	continuedAt string
	settled     bool // the end is recorded
	stuck       *StuckError

	run      runState
	progress atomic.Uint64
	taken    atomic.Int64 // arrivals answered in this run
	closed   atomic.Bool
	// instead is the execution that made the turn when this one was left to
	// code that blocks: from then on it answers for this one, which that code
	// may still change.
	instead atomic.Pointer[Execution]

	status []byte
	// search are the search attributes. Never changed in place, for an earlier
	// run, or a mark, may hold them.
	search history.SearchAttributes
}

// runState is what one call of Run gathers.
type runState struct {
	// suspended: no code was to run when it began.
	suspended  bool
	nowMS      int64
	seed       [16]byte
	from       int // index of the first event this run appended
	operations int
	cancelled  []int64
	given      bool             // the code cancels now, and says why
	reasons    map[int64]string // of what the code cancelled so
	// reasonTexts are the reasons that are kept, reasonBytes their length.
	reasonTexts map[string]bool
	reasonBytes int
	logs        []Log
	statusSet   bool
	statusWas   []byte                   // before this run set it
	searchSet   history.SearchAttributes // what this run set of them; never changed in place
	searchWas   history.SearchAttributes // before this run set any
	recovered   bool
	quiet       bool      // what runs now has been run, and logged, before
	left        []Arrival // arrivals of this run still to be taken
	continued   bool      // the execution ended as continued-as-new
	carried     []history.Event
	instead     *StuckError // why the policy "fail" ended it
}

// New returns an execution without events.
func New(cfg Config) *Execution {
	if cfg.Options.MaxOperations <= 0 {
		cfg.Options.MaxOperations = defaultMaxOperations
	}
	if cfg.Options.MaxCoroutines <= 0 {
		cfg.Options.MaxCoroutines = defaultMaxCoroutines
	}
	x := &Execution{cfg: cfg}
	x.ledger.instance, x.ledger.executionID = cfg.Instance, cfg.ExecutionID
	return x
}

// Reserve makes room for so many events, ahead of the first that is fed, and for
// a few that a turn appends: a history that is fed in pieces is copied once.
func (x *Execution) Reserve(n int) {
	if n > 0 {
		x.ledger.reserve(n)
		x.events.reserve(n + turnRoom)
	}
}

// turnRoom is how many events most turns append at most.
const turnRoom = 4

// Feed appends recorded events, in any split; no code runs. parked says that
// the arrivals at the end of these events were recorded without being run.
// The structure is checked at once (rule 5): *CorruptionError, from then on
// returned by Run too.
func (x *Execution) Feed(events []history.Event, parked bool) error {
	x.ledger.reserve(len(events))
	for i := range events {
		if err := x.ledger.check(&events[i]); err != nil {
			if x.corrupt == nil {
				x.corrupt = err
			}
			return x.corrupt
		}
		x.ledger.record(&events[i])
		x.bytes += eventBytes(&events[i])
	}
	if x.events.room() == 0 {
		// Without Reserve the caller's slice is used as it is.
		x.events.use(events)
	} else {
		x.events.appendAll(events)
	}
	x.fed += len(events)
	if parked && len(events) > 0 {
		x.parkedTo = events[len(events)-1].EventID
	}
	return nil
}

// LastEventID returns the id of the last event fed or appended, 0 if there is
// none.
func (x *Execution) LastEventID() int64 {
	if y := x.instead.Load(); y != nil {
		return y.LastEventID()
	}
	return int64(x.events.len())
}

// Started returns OrchestrationStarted, or nil before it.
func (x *Execution) Started() *history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Started()
	}
	if x.events.len() == 0 {
		return nil
	}
	return x.events.at(0)
}

// RecordedAt returns when an event was recorded, in Unix milliseconds; for event 0, and for
// one that the history does not have, when the execution began, or was redriven, 0 if it has
// not.
func (x *Execution) RecordedAt(eventID int64) int64 {
	if y := x.instead.Load(); y != nil {
		return y.RecordedAt(eventID)
	}
	switch n := x.events.len(); {
	case n == 0:
		return 0
	case eventID < 1 || eventID > int64(n):
		eventID = max(x.ledger.redriven, 1)
	}
	return x.events.at(int(eventID - 1)).AtMS
}

// DueAt returns when the timer of an event is due, in Unix milliseconds; 0 if it has none.
func (x *Execution) DueAt(eventID int64) int64 {
	if y := x.instead.Load(); y != nil {
		return y.DueAt(eventID)
	}
	if eventID < 1 || eventID > int64(x.events.len()) || x.events.at(int(eventID-1)).Kind != history.TimerCreated {
		return 0
	}
	return x.events.at(int(eventID - 1)).FireAtMS
}

// Ended reports whether the last event is terminal.
func (x *Execution) Ended() bool {
	if y := x.instead.Load(); y != nil {
		return y.Ended()
	}
	return x.ledger.ended
}

// Judge says what would become of an arrival, without recording it.
func (x *Execution) Judge(a Arrival) Verdict {
	if y := x.instead.Load(); y != nil {
		return y.Judge(a)
	}
	return x.judge(&a)
}

// Size returns what the execution holds in memory, for a bounded cache: within a
// quarter of what the process says (size_test.go). Memory that the code itself
// holds, beyond the first pages of its stacks, is not counted.
func (x *Execution) Size() (bytes, coroutines int) {
	if y := x.instead.Load(); y != nil {
		return y.Size()
	}
	const (
		// What was read keeps the text that it was read from.
		text = 110
		// The runtime's own of a goroutine, its stack, and what belongs to a branch.
		coroutine = 5 << 10
		operation = int(unsafe.Sizeof(Future{}))
	)
	payloads := x.bytes - x.events.len()*eventBytes(&history.Event{})
	bytes = int(unsafe.Sizeof(*x)) + payloads + x.fed*text + x.events.room()*int(unsafe.Sizeof(history.Event{})) +
		x.ledger.entries.room()*int(unsafe.Sizeof(entry{})) + x.ops.room()*int(unsafe.Sizeof(x.main)) +
		(x.openOps+len(x.futures))*operation + len(x.coroutines)*coroutine
	return bytes, len(x.coroutines)
}

// HistoryBytes returns about how many bytes the events hold: their payloads,
// and 300 for each.
func (x *Execution) HistoryBytes() int {
	if y := x.instead.Load(); y != nil {
		return y.HistoryBytes()
	}
	return x.bytes
}

func eventBytes(e *history.Event) int {
	n := 300 + len(e.Payload) + len(e.Label)
	for name, value := range e.Headers {
		n += len(name) + len(value)
	}
	return n
}

// Close unwinds the parked coroutines: deferred functions of user code run,
// their durable calls fail. The execution is unusable afterwards. Under a guard
// a deferred function that blocks is left to its goroutine, and told of by
// Options.OnBlocked.
func (x *Execution) Close() {
	if x.closed.Swap(true) {
		return
	}
	guard := x.cfg.Options.Guard
	if guard == nil || len(x.coroutines) == 0 {
		x.unwindAll()
		return
	}
	over := make(chan struct{})
	if stack := guard.Run(func() { defer close(over); x.unwindAll() }, x.progress.Load); stack != "" {
		x.tellBlocked(stack, true, over)
	}
}

func (x *Execution) tellBlocked(stack string, unwinding bool, over <-chan struct{}) {
	if tell := x.cfg.Options.OnBlocked; tell != nil {
		tell(Blocked{Instance: x.cfg.Instance, ExecutionID: x.cfg.ExecutionID, Unwinding: unwinding, Stack: stack, Over: over})
	}
}
