package world

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// World is one run: queues, store and timer in virtual time, the processes that use them, and the faults. One
// goroutine at a time runs in it.
type World struct {
	// Choices make all decisions; in the search of a scope Walk does, otherwise it is nil.
	Choices choice.Choices
	Walk    *Walk
	// Clock is the true time. Processes may have clocks that differ.
	Clock *clock.Virtual
	// Scenario is the application and its users, Ledger records what has landed, and Watch observes everything.
	Scenario Scenario
	Ledger   ledger.Ledger
	Watch    Watcher

	// The results so far. Steps counts scheduling steps, Commits the commits that have landed, Faults the faults,
	// QueueRefusals the calls that an outage of the queues has refused, counts the observations that processes
	// reported, and situations those that occurred, by scenario.
	Steps, Commits int
	// Calmed is when the faults stopped; zero before.
	Calmed        time.Time
	Faults        fault.Counts
	QueueRefusals int
	Violations    []Violation
	counts        map[counted]int
	situations    map[string]int
	Tracing       bool
	trace         strings.Builder

	// The services. Sources are the queues that messages are received from.
	on                                                          Services
	Store                                                       store.Store
	stops                                                       store.Activities
	Timer                                                       *timermemory.Timer
	fired                                                       map[string]time.Time // schedules, by name
	FIFO, Delay, Activity, ActivityDead, DeadFIFO, DeadStandard *Queue
	Sources                                                     []*Queue
	// Named are the activity queues that have a name. configured counts the changes of this set, and configuredBy
	// is when each process knows it.
	Named        []*Queue
	configured   int
	configuredBy time.Time
	// keys are the keys with which tokens are made. Each deployment may have another current one; deploys counts the deployments.
	keys     keyring.Memory
	deploys  int
	Encoding *encoding

	// Faults. calm: faults have stopped. pace is the least duration of each call, Room is how many events a commit
	// holds (0: no limit), limits are those of work items (zero value: those of production).
	plan    plan
	bias    bias
	calm    bool
	pace    time.Duration
	Room    int
	limits  wire.Limits
	outages []outage
	tears   map[string]*tear // by instance
	// Overtook are the instances whose previous run a process has seen although the next one had started, with a
	// start that its queue had made a dead letter. Messages that arrived then are not delivered again.
	Overtook map[string]bool
	damages  map[string]*damage // by instance; nil if it is restored

	// The processes, at most slots of each role; started counts all of them, Executing is the one whose step it is.
	// lately is the last action, while decisions are located, and entropy the source of random numbers of
	// processes.
	Settings  host.Settings
	Processes []*Process
	Executing *Process
	slots     int
	started   int
	lately    string
	entropy   int
	routines  []*routine // idle coroutines

	// Deployments. Good works. Processes start with Build, and others are replaced after replaceAt; beside is the
	// build that a slow rollout replaces, nil if there is none. Bad counts the builds that do not work, Other says
	// that a build other than Good was deployed, Older that code from before a change in place ran first. named:
	// builds have names.
	Good, Build, beside *Build
	replaceAt           time.Time
	Bad                 int
	Other, Older        bool
	named               bool
	// changed is when one build replaced another; asked is when processes have requested sweeps, by deduplication
	// id.
	changed time.Time
	asked   map[string]time.Time

	// Messages. ghosts were deleted and may be delivered again, returning will be received again, copies are copies
	// of messages in flight. messages are the parsed messages, by body; lastMessage is the one that was requested
	// last.
	ghosts, returning, copies []Delivered
	copied                    map[string]bool // ids of messages that had copies
	actedOn                   map[string]bool // ids on which a call with an expired receipt acted
	duplicated                map[string]bool // facts of messages that two processes had
	duplicates                map[string]bool // their ids
	overtaken                 map[string]bool // ids of starts that became dead letters or were requeued
	kept                      map[string]bool // ids of dead letters that an operator left where they are
	// later are batches that were received and that a process gets later.
	later       []later
	messages    map[string]*message
	lastMessage *message
	lastBody    string
	// requeueIn is set if the host requeues a message before the low receive limit that its queue has in this run.
	requeueIn bool

	// The actions of clients and others. Said has the ids of clients' items, forged the made-up tokens, lost those
	// among them that a lost history had, attempted the tokens of commits that were sent. Lost: an activity failed
	// because all its deliveries failed.
	Said, forged, lost, attempted map[string]bool
	// parts has the events of the parts of copies, as stored; messaged those that a message began.
	parts    map[ledger.Execution][]history.Event
	messaged map[ledger.Execution]bool
	// looked is when an operator has last read the dead letters, since the faults have stopped.
	looked time.Time
	// archived are the documents of executions in the archive.
	archived map[ledger.Execution][]byte
	Lost     bool
	// Firing are the bodies of schedules that have fired and whose deliveries fail until they are in their
	// dead-letter queue, or, if they are lost, until an operator handles it.
	Firing []string
	// Died is set if a process has died in an invocation, by a fault or by its activity.
	Died bool
	// Rejected is set if a queue permanently refuses a message because of its content, or something exceeds its limit.
	// tooLarge are the activities to which this applies.
	Rejected bool
	tooLarge map[store.ActivityKey]bool
	// Discarded are the bodies of dead letters that a forger had sent and that an operator deleted while redriving.
	Discarded map[string]bool
	// sweeping is set if the sweeper is scheduled; sweeps counts its runs.
	sweeping bool
	sweeps   int
	// resuming is set if the operator who resumes suspended instances is scheduled; resumes counts its sends.
	resuming bool
	resumes  int

	// most limits the steps; givenUp says that the limit was one of shrinking.
	most    int
	givenUp bool
	// Sabotage breaks the world in a way that a test expects the checks to detect.
	Sabotage Sabotage
}

// Violation is a broken invariant.
type Violation struct {
	// Rule is the id of the invariant, or its topic.
	Rule string
	Text string
	At   time.Time
}

const (
	// MaxSteps limits a run: a run that has not settled by then fails.
	MaxSteps = 300_000
	// redriven is how long an alarm about dead letters may last after the faults have stopped.
	redriven = time.Hour
	// longest is the longest run, in virtual time.
	longest = 120 * 24 * time.Hour
)

// Options configure a world.
type Options struct {
	// Tracing makes it write its story.
	Tracing bool
	// On are its services; nil for those in memory.
	On Services
	// Watch creates its watcher.
	Watch func(*World) Watcher
}

func New(c choice.Choices, o Options) *World {
	on := o.On
	if on == nil {
		on = inMemory{}
	}
	w := &World{Choices: c, Clock: clock.NewVirtual(epoch), Tracing: o.Tracing, most: MaxSteps, counts: map[counted]int{},
		on: on, Store: on.Store(), Ledger: ledger.New(), situations: map[string]int{}, attempted: map[string]bool{}, parts: map[ledger.Execution][]history.Event{}, messaged: map[ledger.Execution]bool{}, messages: map[string]*message{},
		forged: map[string]bool{ForgedToken: true}, lost: map[string]bool{}, fired: map[string]time.Time{}}
	w.Watch = o.Watch(w)
	w.stops = on.Activities(w.Clock.Now)
	w.openQueues(visibility, visibilityOfActivities)
	tm, err := timermemory.New(timermemory.Options{Clock: w.Clock, Journal: on.Timer(), Deliver: func(_ context.Context, s timer.Schedule) error { return w.fire(s) }})
	if err != nil {
		panic(err)
	}
	w.Timer = tm
	w.plan = newPlan(&w.Choices)
	w.bias = drawBias(&w.Choices)
	for _, b := range w.bias.of() {
		w.plan.suits(b)
	}
	w.openNamed()
	w.pace, w.Room = w.drawPace(), w.drawRoom()
	w.Settings = host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}, Turn: host.TurnSettings{BlockLimit: -1}}
	w.Settings.Turn.Part = w.drawPart()
	if w.requeueIn {
		w.Settings.Messages.RequeueAfterReceives = 5
	}
	w.Settings.Cache.Instances = []int{0, 0, 1, -1}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "cache"), 4)]
	if w.Choices.OneIn(w.Choices.At(choice.OfWorld, "timer border"), 3) {
		w.Settings.Dispatch.TimerBorder = -1
	}
	// If something waits for an instance that never starts, each attempt has the same result.
	w.Settings.Messages.EarlyWindow = []time.Duration{0, 2 * time.Minute, 2 * time.Minute, 2 * time.Minute}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "early window"), 4)]
	w.Settings.Turn.Executions = []int{0, 0, 0, 0, 0, 0, 1, 2}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "continue limit"), 8)]
	w.Settings.Parallelism = []int{1, 1, 2, 10}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "parallelism"), 4)]
	w.Settings.Dispatch.Parallelism = w.Settings.Parallelism
	w.Settings.Attempt.CancelCheckAfter = []time.Duration{0, 0, -1}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "look after"), 3)]
	// A message that is not part of a loop may look like one, and must still arrive, later.
	w.Settings.Loop.Depth = []int{0, 0, 0, 1, 3}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "loop depth"), 5)]
	w.named = w.Choices.Even(w.Choices.At(choice.OfWorld, "names of builds"))
	w.slots = 1 + w.Choices.IntN(w.Choices.At(choice.OfWorld, "processes"), 3)
	if w.has(crowds) {
		// Few at a time, so that some finish long before the last one starts.
		w.Settings.Parallelism = []int{2, 3, 10}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "lanes"), 3)]
		w.slots = max(w.slots, 2)
	}
	if w.has(sharedCalls) {
		w.Settings.Parallelism, w.slots = 10, 1
	}
	if w.has(rejections) {
		w.Settings.Limits.Result = mostResult
	}
	w.drawLimits()
	if w.has(shortInvocations) {
		w.Settings.Turn.Executions = 1 + w.Choices.IntN(w.Choices.At(choice.OfWorld, "short invocations"), 2)
	}
	w.entropy = w.Choices.IntN(w.Choices.At(choice.OfWorld, "entropy"), 1<<30)
	w.Encoding = newEncoding(w.entropy)
	return w
}

// openQueues creates the empty queues, with these visibility timeouts.
func (w *World) openQueues(visible, ofActivities time.Duration) {
	w.DeadFIFO = w.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	w.DeadStandard = w.newQueue(queuememory.Options{Name: "dead"})
	// A few receives move messages to the dead-letter queues.
	receives := []int{1000, 1000, 1000, 6}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "receives"), 4)]
	w.requeueIn = receives == 6 && w.Choices.Even(w.Choices.At(choice.OfWorld, "round in time"))
	w.FIFO = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: visible, DeadLetter: w.DeadFIFO.Queue, MaxReceiveCount: receives})
	w.Delay = w.newQueue(queuememory.Options{Name: "delay", Visibility: visible, DeadLetter: w.DeadStandard.Queue, MaxReceiveCount: receives})
	w.ActivityDead = w.newQueue(queuememory.Options{Name: "activitydead", Visibility: visible, DeadLetter: w.DeadStandard.Queue, MaxReceiveCount: 1000})
	attempts := []int{1000, 12}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "receives of activities"), 2)]
	w.Activity = w.newQueue(queuememory.Options{Name: "activity", Visibility: ofActivities, DeadLetter: w.ActivityDead.Queue, MaxReceiveCount: attempts})
	w.Sources = []*Queue{w.FIFO, w.Delay, w.ActivityDead, w.Activity}
}

// visibility is the visibility timeout of an orchestrator's messages.
const visibility = 2 * time.Minute

// visibilityOfActivities is the visibility timeout of a worker's messages.
const visibilityOfActivities = 16 * time.Minute

// retention of the queues, the longest that SQS has. A dead letter keeps its age on a standard queue, and starts at
// age 0 on a FIFO queue (SQS Developer Guide, "Setting up dead-letter queue retention").
const retention = 14 * 24 * time.Hour

func (w *World) newQueue(o queuememory.Options) *Queue {
	o.Clock = newQueueClock(w.Clock)
	o.Journal = w.on.Queue(o.Name)
	o.Retention, o.TotalVisibility = retention, true
	o.Expired = func(m queue.Message) { w.Watch.Expires(o.Name, m) }
	q, err := queuememory.New(o)
	if err != nil {
		panic(err)
	}
	return &Queue{Queue: q, w: w, Name: o.Name}
}

// sets puts a scenario into the world.
func (w *World) sets(s Scenario) {
	w.Scenario = s
	w.Good = s.Working()
	w.Build = w.Good
}

// Play runs a scenario, from its first message until nothing is left to happen, and has its outcome checked.
func (w *World) Play(s Scenario) (r Result) {
	w.sets(s)
	defer w.Close()
	defer w.panicked(&r)
	s.Start(w)
	w.planOutages()
	w.planQueues()
	w.run()
	if len(w.Violations) == 0 && !w.givenUp {
		w.Watch.End()
	}
	return w.Result()
}

// Close ends all coroutines.
func (w *World) Close() {
	for _, p := range slices.Clone(w.Processes) {
		p.Dead = true
		for alive := true; alive && p.Running != nil && !p.Running.done; {
			_, alive = p.Running.routine.resume() // One that has panicked is neither done nor alive.
		}
		if p.Running != nil {
			p.Running.routine.stop()
		}
		w.bury(p)
	}
	for _, r := range w.routines {
		r.stop()
	}
	w.Timer.Close()
	for _, q := range append(slices.Clone(w.Sources), w.DeadFIFO, w.DeadStandard) {
		q.Queue.Close()
	}
}

// StopAfter limits the steps of a run that shrinking makes: it is abandoned after them.
func (w *World) StopAfter(steps int) { w.most = steps }
