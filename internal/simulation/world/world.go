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

// World is one run: queues, store and timer in virtual time, the processes that use
// them, and what goes wrong. One goroutine at a time runs in it.
type World struct {
	// Choices decide everything that is left open; Walk does where a scope is
	// searched, otherwise it is nil.
	Choices choice.Choices
	Walk    *Walk
	// Clock is the true time. Processes may have clocks that differ.
	Clock *clock.Virtual
	// Scenario is who uses the world, Ledger what has landed, and Watch looks at all
	// that happens.
	Scenario Scenario
	Ledger   ledger.Ledger
	Watch    Watcher

	// The results so far. Steps is how often something was scheduled to run, Commits
	// how many have landed, Faults what went wrong, QueueRefusals how many calls an
	// outage of the queues has refused; counts is what processes told their observers,
	// and situations which ones were met, by scenario.
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
	// Named are the activity queues that have a name. configured counts how often others
	// were there, and configuredBy is when each process knows it.
	Named        []*Queue
	configured   int
	configuredBy time.Time
	// keys are those that tokens are made with. Each deployment may have another as
	// its current one: deploys is how many there were.
	keys    keyring.Memory
	deploys int
	Sealing *sealing

	// What goes wrong. calm: faults have stopped. pace is how long each call takes
	// at least, Room how many events a commit holds, 0 for as many as are in it, limits those of
	// work items, the zero value for those of production.
	plan    plan
	bias    bias
	calm    bool
	pace    time.Duration
	Room    int
	limits  wire.Limits
	outages []outage
	tears   map[string]*tear // by instance
	// Overtook are the instances of which somebody has met the run before though the next one had
	// begun, by a start that its queue had given up: what came then is told nobody again.
	Overtook map[string]bool
	damages  map[string]*damage // by instance; nil where it is restored

	// The processes, at most slots of each role; started is how many there were,
	// Executing the one whose step it is. lately is what was done last, while
	// decisions are located, and entropy what processes draw from.
	Settings  host.Settings
	Processes []*Process
	Executing *Process
	slots     int
	started   int
	lately    string
	entropy   int
	routines  []*routine // idle coroutines

	// Deployments. Good works; Build is what processes start with now, and others are
	// replaced after replaceAt; beside is the one that a slow rollout replaces, nil
	// where there is none. Bad is how many did not work, Other says that any but Good
	// was deployed, Older that code from before a change in place ran first. named:
	// builds have names.
	Good, Build, beside *Build
	replaceAt           time.Time
	Bad                 int
	Other, Older        bool
	named               bool
	// changed is when another build took the place of one; asked has, by their
	// deduplication ids, when processes have asked for sweeps.
	changed time.Time
	asked   map[string]time.Time

	// Messages. ghosts were deleted and may come again, returning are to be received
	// again, copies are of messages that are in flight. messages are the parsed
	// messages, by body; lastMessage is the last one that was asked for.
	ghosts, returning, copies []Delivered
	copied                    map[string]bool // ids of which there were copies
	actedOn                   map[string]bool // ids on which a call with an old receipt acted
	twinned                   map[string]bool // facts of messages that two processes had
	twins                     map[string]bool // their ids
	overtaken                 map[string]bool // ids of starts that became dead letters or went round
	kept                      map[string]bool // ids of dead letters that somebody left where they are
	// later are batches that were received, and that a process gets later.
	later       []later
	messages    map[string]*message
	lastMessage *message
	lastBody    string
	// roundIn: a message goes round by itself before the few receives that its
	// queue has in this run.
	roundIn bool

	// What clients and others have done. Said has the ids of the items of clients,
	// forged the tokens that somebody has made up, attempted the tokens of commits
	// that were sent. Lost: an activity was given up after all its deliveries.
	Said, forged, attempted map[string]bool
	// ahead is what was written ahead of turns, as it is stored.
	ahead map[aheadOf][]history.Event
	// looked is when somebody has looked at the dead letters last, since the faults have stopped.
	looked time.Time
	// redriven are those parts that were written while the instance was there: by a redrive of it.
	redriven map[aheadOf]bool
	// archived are the documents of executions that the archive has.
	archived map[ledger.Execution][]byte
	Lost     bool
	// Firing are the bodies of schedules that have fired and whose deliveries fail until they
	// are in their dead-letter queue, or, where they are lost, until somebody does what is to be done.
	Firing []string
	// Died: a process has died in an invocation, by a fault or by its activity.
	Died bool
	// Rejected: a queue refuses a message, every time, because of what is in it; or something is
	// larger than it may be. tooLarge are the activities for which one of these is so.
	Rejected bool
	tooLarge map[store.ActivityKey]bool
	// Discarded are the bodies of dead letters that a forger had sent, and that
	// somebody who redrives has deleted.
	Discarded map[string]bool
	// The sweeper is going to come, and has come so often.
	sweeping bool
	sweeps   int
	// resuming: the operator is to come who resumes what is suspended; resumes counts its sends.
	resuming bool
	resumes  int

	// most bounds the steps; givenUp says that the bound was one of shrinking.
	most    int
	givenUp bool
	// Sabotage breaks what a test wants to see found.
	Sabotage Sabotage
}

// Violation is a broken invariant.
type Violation struct {
	// Rule is the id of the invariant, or what it is about.
	Rule string
	Text string
	At   time.Time
}

const (
	// MaxSteps bounds a run: a run that does not settle by then fails.
	MaxSteps = 300_000
	// redriven is how long an alarm about dead letters may stand when the
	// faults have stopped.
	redriven = time.Hour
	// longest is how much virtual time a run may take.
	longest = 120 * 24 * time.Hour
)

// Options are how a world is made.
type Options struct {
	// Tracing: it writes its story.
	Tracing bool
	// On are its services; nil for those in memory.
	On Services
	// Watch makes who looks at it.
	Watch func(*World) Watcher
}

func New(c choice.Choices, o Options) *World {
	on := o.On
	if on == nil {
		on = inMemory{}
	}
	w := &World{Choices: c, Clock: clock.NewVirtual(epoch), Tracing: o.Tracing, most: MaxSteps, counts: map[counted]int{},
		on: on, Store: on.Store(), Ledger: ledger.New(), situations: map[string]int{}, attempted: map[string]bool{}, ahead: map[aheadOf][]history.Event{}, redriven: map[aheadOf]bool{}, messages: map[string]*message{},
		forged: map[string]bool{ForgedToken: true}, fired: map[string]time.Time{}}
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
	w.Settings.Turn.Ahead = w.drawAhead()
	if w.roundIn {
		w.Settings.Messages.RoundReceives = 5
	}
	w.Settings.Cache.Instances = []int{0, 0, 1, -1}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "cache"), 4)]
	if w.Choices.OneIn(w.Choices.At(choice.OfWorld, "timer border"), 3) {
		w.Settings.Dispatch.TimerBorder = -1
	}
	// Where somebody waits for what never begins, each round says the same.
	w.Settings.Messages.EarlyWindow = []time.Duration{0, 2 * time.Minute, 2 * time.Minute, 2 * time.Minute}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "early window"), 4)]
	w.Settings.Turn.Executions = []int{0, 0, 0, 0, 0, 0, 1, 2}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "continue limit"), 8)]
	w.Settings.Parallelism = []int{1, 1, 2, 10}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "parallelism"), 4)]
	w.Settings.Dispatch.Parallelism = w.Settings.Parallelism
	w.Settings.Attempt.LookAfter = []time.Duration{0, 0, -1}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "look after"), 3)]
	// A message that is not part of a loop may look like one, and must come all the same, later.
	w.Settings.Loop.Depth = []int{0, 0, 0, 1, 3}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "loop depth"), 5)]
	w.named = w.Choices.Even(w.Choices.At(choice.OfWorld, "names of builds"))
	w.slots = 1 + w.Choices.IntN(w.Choices.At(choice.OfWorld, "processes"), 3)
	if w.has(crowds) {
		// Few at a time, so that some are done long before the last begins.
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
	w.Sealing = newSealing(w.entropy)
	return w
}

// openQueues makes the queues, empty, with these visibility timeouts.
func (w *World) openQueues(visible, ofActivities time.Duration) {
	w.DeadFIFO = w.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	w.DeadStandard = w.newQueue(queuememory.Options{Name: "dead"})
	// Few receives bring messages into the dead-letter queues.
	receives := []int{1000, 1000, 1000, 6}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "receives"), 4)]
	w.roundIn = receives == 6 && w.Choices.Even(w.Choices.At(choice.OfWorld, "round in time"))
	w.FIFO = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: visible, DeadLetter: w.DeadFIFO.Queue, MaxReceiveCount: receives})
	w.Delay = w.newQueue(queuememory.Options{Name: "delay", Visibility: visible, DeadLetter: w.DeadStandard.Queue, MaxReceiveCount: receives})
	w.ActivityDead = w.newQueue(queuememory.Options{Name: "activitydead", Visibility: visible, DeadLetter: w.DeadStandard.Queue, MaxReceiveCount: 1000})
	attempts := []int{1000, 12}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "receives of activities"), 2)]
	w.Activity = w.newQueue(queuememory.Options{Name: "activity", Visibility: ofActivities, DeadLetter: w.ActivityDead.Queue, MaxReceiveCount: attempts})
	w.Sources = []*Queue{w.FIFO, w.Delay, w.ActivityDead, w.Activity}
}

// visibility of what an orchestrator receives.
const visibility = 2 * time.Minute

// visibilityOfActivities is the visibility timeout of the messages that a worker receives.
const visibilityOfActivities = 16 * time.Minute

// retention of the queues, the longest that SQS has. A dead letter keeps its age on a
// standard queue, and begins anew on a FIFO queue (SQS Developer Guide, "Setting up
// dead-letter queue retention").
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

// Play lets a scenario happen, from its first message until nothing is left to
// come, and has what it came to looked at.
func (w *World) Play(s Scenario) (r Result) {
	w.sets(s)
	defer w.Close()
	defer w.panicked(&r)
	s.Begin(w)
	w.planOutages()
	w.planQueues()
	w.run()
	if len(w.Violations) == 0 && !w.givenUp {
		w.Watch.End()
	}
	return w.Result()
}

// Close ends everything.
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

// StopAfter bounds the steps of a run that shrinking makes: it is given up after them.
func (w *World) StopAfter(steps int) { w.most = steps }
