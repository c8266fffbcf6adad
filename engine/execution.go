package engine

import (
	"log/slog"
	"sync/atomic"
	"unsafe"

	"github.com/turnstile-go/turnstile/history"
)

// Config identifies an execution and the code that it runs.
type Config struct {
	Instance    string
	ExecutionID int64
	Registry    *Registry
	Options     Options
}

// Options limit and observe the code.
type Options struct {
	// MaxOperations limits the scheduling events that the code may make in response to
	// one arrival; 0 means 10,000. Code that exceeds it is stuck (kind limit).
	MaxOperations int
	// MaxCoroutines limits the live coroutines of an execution; 0 means 10,000. Code that
	// exceeds it is stuck (kind limit).
	MaxCoroutines int
	// Guard detects code that blocks outside durable operations; nil disables detection.
	Guard Guard
	// OnBlocked is called when the guard gives up on code that blocks; may be nil.
	OnBlocked func(Blocked)
	// LogHandler receives the lines that Context.Logger logs, through Turn.Logs; nil
	// discards them.
	LogHandler slog.Handler
	// FailWhenStuck fails every instance that would become stuck.
	FailWhenStuck bool
	// ReadOnly replays what the code has already done and nothing more, for Query. A round
	// whose arrivals were recorded without running the code is not run, and code that would
	// record another operation waits there.
	ReadOnly bool
	// Conceal returns a replacement for a payload in reasons. It is set if payloads are encoded, so
	// that their text does not reach records and logs. If Conceal is nil, reasons show the first
	// 120 bytes.
	Conceal func(payload []byte) string
}

const (
	defaultMaxOperations = 10_000
	defaultMaxCoroutines = 10_000
)

// Guard runs code that may block.
type Guard interface {
	// Run calls run on a goroutine of its choice, and returns "" after run has returned.
	// If progress returns the same value for longer than the guard's limit, Run abandons
	// run and returns the stack of the blocked goroutine.
	Run(run func(), progress func() uint64) (blockedStack string)
}

// Blocked describes code that blocks outside durable operations, and the goroutine that
// was abandoned in it.
type Blocked struct {
	Instance    string
	ExecutionID int64
	// Unwinding is set if a deferred function blocks in Close, which does not make the instance
	// stuck.
	Unwinding bool
	// Stack of the code that blocks.
	Stack string
	// Over is closed if the goroutine ends after all.
	Over <-chan struct{}
}

// Execution is one execution of an instance, loaded to be replayed and run. Only one
// goroutine at a time may use it.
type Execution struct {
	cfg    Config
	ledger ledger
	// events are all events, fed and appended: the history after the turn is committed.
	events  pieces[history.Event]
	bytes   int // approximate size of the events
	fed     int // number of events fed
	fedTo   int // number of events up to the last one that was fed
	corrupt *CorruptionError
	// parkedTo is the id of the last event that was fed or recorded as parked, until this execution
	// has run the round of that event. The code first sees a parked round when the round is run.
	parkedTo int64

	cursor cursor
	def    *Orchestration // resolved when OrchestrationStarted is visited
	info   Info           // the constant part of Info, set before any code runs

	// ops holds the open operation that claimed a scheduling event, by event id.
	ops        pieces[*Future]
	futures    []Future // allocated in advance for a replay
	openOps    int      // operations that a message can still complete
	openInline inlineQueue
	external   externalEvents
	known      knownEvents
	patches    map[string]bool // results of Patched and PatchRetired, by patch
	before     []string        // retired patches whose old code recorded this history
	without    []string        // patches that the code asked for in recorded rounds without their marker
	root       *scope

	main       *coroutine
	coroutines []*coroutine // all live coroutines, in the order of their start
	started    int          // number of coroutines started
	ready      readyHeap
	current    *coroutine
	// owner is the goroutine of current; 0 while no code runs.
	owner    atomic.Uintptr
	readySeq int64
	nested   string // the side effect that is running
	// queries are the handlers that the code has registered. asked is the first durable
	// call that a handler or the validator of an update made, which failed.
	queries map[string]func([]byte) ([]byte, error)
	asked   *MisuseError
	// updates are the handlers of updates, by the name of the event that requests the update.
	// handling are their branches that may still run.
	updates  map[string]*updateHandler
	handling []*Future
	// halted is set if a ReadOnly replay stopped before a round that has not run yet.
	halted bool
	// intercepted names the interceptor whose own code is running; barred is its first
	// durable call, which failed.
	intercepted string
	barred      *MisuseError
	// inline names the inline activity that is running, between two runs.
	inline atomic.Pointer[string]

	end *ending // the result of the main function
	// continues is set if the code called ContinueAsNew, most recently at continuedAt.
	continues   bool
	continuedAt string
	settled     bool // the end is recorded
	stuck       *StuckError

	run      runState
	progress atomic.Uint64
	taken    atomic.Int64 // arrivals processed in this run
	closed   atomic.Bool
	// instead is the execution that made the turn after this execution was abandoned because its
	// code blocks. All methods then use instead, because the blocked code may still change this
	// execution.
	instead atomic.Pointer[Execution]

	// states are the states that the code has set, sorted by name. The slice is never modified,
	// because an earlier run or a restMark may hold it. statesEncoded are the same states, encoded;
	// nil if they have not been encoded since the last change.
	states        []history.State
	statesEncoded []byte
	// search are the search attributes. The map is never modified, because an earlier run
	// or a restMark may hold it.
	search history.SearchAttributes
}

// runState is the state of one call of Run.
type runState struct {
	// suspended is set if the execution was suspended when the run started.
	suspended  bool
	nowMS      int64
	seed       [16]byte
	from       int // index of the first event this run appended
	operations int
	cancelled  []int64
	given      bool             // the code is cancelling an operation, with a reason
	reasons    map[int64]string // by event, given by the code
	// reasonTexts are the distinct reasons kept, reasonBytes their total length.
	reasonTexts map[string]bool
	reasonBytes int
	logs        []Log
	statesSet   bool
	statesWas   []byte                   // the encoded states before this run set any
	searchSet   history.SearchAttributes // set by this run; the map is never modified
	searchWas   history.SearchAttributes // the attributes before this run set any
	recovered   bool
	quiet       bool      // the code is replayed: an earlier run has already logged this part
	left        []Arrival // arrivals of this run not yet processed
	continued   bool      // the execution ended as continued-as-new
	carried     []history.Event
	instead     *StuckError // why the policy "fail" ended the execution
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

// Reserve makes room for n events and a few more that a turn appends, if it is called
// before the first Feed. A history that is fed in pieces is then copied only once.
func (x *Execution) Reserve(n int) {
	if n > 0 {
		x.ledger.reserve(n)
		x.events.reserve(n + turnRoom)
	}
}

// turnRoom is the number of events that most turns do not exceed.
const turnRoom = 4

// Feed appends recorded events, in one call or several; it runs no code. parked is set if the
// arrivals at the end of these events were recorded without running the code. Feed checks the
// structure of the events (rule 5). On a *CorruptionError, Feed and Run return that error from then
// on.
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
		// Without Reserve, use the caller's slice without copying it.
		x.events.use(events)
	} else {
		x.events.appendAll(events)
	}
	x.fed, x.fedTo = x.fed+len(events), x.events.len()
	if parked && len(events) > 0 {
		x.parkedTo = events[len(events)-1].EventID
	}
	return nil
}

// LastEventID returns the id of the last event fed or appended, or 0 if there is none.
func (x *Execution) LastEventID() int64 {
	if y := x.instead.Load(); y != nil {
		return y.LastEventID()
	}
	return int64(x.events.len())
}

// Started returns the OrchestrationStarted event, or nil if there is none yet.
func (x *Execution) Started() *history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Started()
	}
	if x.events.len() == 0 {
		return nil
	}
	return x.events.at(0)
}

// RecordedAt returns the time at which an event was recorded, in Unix milliseconds. For event 0, or
// an event that the history does not have, it returns the time at which the execution started or
// was last redriven; 0 if the execution has not started.
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

// DueAt returns the time at which the timer of an event is due, in Unix milliseconds; 0
// if the event is not a TimerCreated.
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

// Judge returns the verdict that an arrival would get, without recording it.
func (x *Execution) Judge(a Arrival) Verdict {
	if y := x.instead.Load(); y != nil {
		return y.Judge(a)
	}
	return x.judge(&a)
}

// Size estimates the memory that the execution holds, for a bounded cache. It is within
// 25 % of the memory measured for the process (size_test.go). It does not count memory
// that the code itself holds, beyond the first pages of its stacks.
func (x *Execution) Size() (bytes, coroutines int) {
	if y := x.instead.Load(); y != nil {
		return y.Size()
	}
	const (
		// Decoded events keep the text they were decoded from.
		text = 110
		// The runtime's data for a goroutine, its stack, and the data of a branch.
		coroutine = 5 << 10
		operation = int(unsafe.Sizeof(Future{}))
	)
	payloads := x.bytes - x.events.len()*eventBytes(&history.Event{})
	bytes = int(unsafe.Sizeof(*x)) + payloads + x.fed*text + x.events.room()*int(unsafe.Sizeof(history.Event{})) +
		x.ledger.entries.room()*int(unsafe.Sizeof(entry{})) + x.ops.room()*int(unsafe.Sizeof(x.main)) +
		(x.openOps+len(x.futures))*operation + len(x.coroutines)*coroutine
	return bytes, len(x.coroutines)
}

// HistoryBytes estimates how many bytes the events hold: their payloads, labels and
// headers, and 300 bytes for each event.
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

// Close unwinds the parked coroutines: deferred functions of user code run, and their
// durable calls fail. The execution is unusable afterwards. Under a guard, a deferred
// function that blocks is abandoned to its goroutine and reported to Options.OnBlocked.
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
		x.reportBlocked(stack, true, over)
	}
}

func (x *Execution) reportBlocked(stack string, unwinding bool, over <-chan struct{}) {
	if tell := x.cfg.Options.OnBlocked; tell != nil {
		tell(Blocked{Instance: x.cfg.Instance, ExecutionID: x.cfg.ExecutionID, Unwinding: unwinding, Stack: stack, Over: over})
	}
}
