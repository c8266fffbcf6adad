package simulation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/keyring"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"

	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"

	timermemory "github.com/turnstile-go/turnstile/timer/memory"
)

// World is one run: queues, store and timer in virtual time, the processes
// that use them, and what is known of all that happened.
type World struct {
	// Faults that happened, by kind; counts is what the processes told their
	// observers; Steps how often something was scheduled to run.
	Faults faultCounts
	counts map[counted]int
	Steps  int
	// Commits that landed.
	Commits int

	choices choice.Choices
	clock   *clock.Virtual
	tracing bool
	trace   strings.Builder

	on    Services
	store store.Store
	stops store.Activities
	// keys of the stack, and the deployments so far, which may each have another;
	// forged are the tokens that somebody has made up.
	keys    keyring.Memory
	deploys int
	forged  map[string]bool
	timer   *timermemory.Timer
	// The queues; sources are those that messages are received from.
	fifo, delay, activity, activityDead, deadFIFO, deadStandard *simQueue
	sources                                                     []*simQueue

	settings host.Settings
	plan     plan
	calm     bool // faults have stopped
	bias     bias
	pace     time.Duration // of each call, at least
	outages  []outage

	processes []*process
	executing *process // whose step it is
	lately    string   // what was done last, while decisions are located
	// beside is the build that a slow rollout replaces; nil where there is none.
	beside    *build
	slots     int // processes of each role
	entropy   int // of what processes draw
	sealing   *sealing
	started   int // processes so far
	build     *build
	good      *build
	replaceAt time.Time
	bad       int // builds that do not work, so far
	ghosts    []delivered
	returning []delivered // ghosts to be received again
	copies    []delivered // of messages in flight, to be received
	// attempted are the tokens of commits that were sent.
	attempted map[string]bool
	messages  map[string]*message // by body
	tears     map[string]*tear    // by instance
	// lastMessage is the one that was asked for last.
	lastMessage *message
	lastBody    string
	works       map[string]program.Work // of activities, by input
	routines    []*routine              // with nothing to run
	sweeping    bool                    // the sweeper is going to come
	sweeps      int                     // its sweeps so far
	named       bool                    // builds have names
	roundIn     bool                    // messages go round ahead of few receives
	lost        bool                    // an activity was given up after all its deliveries
	other       bool                    // a build that is not the one that works has been deployed
	older       bool                    // code from before a change in place ran first

	scenario scenario
	ledger   ledger
	// watch looks at all that happens; reached counts the situations that it meets.
	watch      watcher
	situations map[string]int
	// walk decides everything, where a scope is searched; else it is nil.
	walk *walk
	// said has the ids of the items that clients have sent through sendItem.
	said       map[string]bool
	violations []Violation
	// most bounds the steps; givenUp says that it was the bound of shrinking.
	most    int
	givenUp bool
	// sabotage breaks what a test wants to see found.
	sabotage sabotage
}

// Violation is a broken invariant.
type Violation struct {
	// Rule is the id of the invariant, or what it is about.
	Rule string
	Text string
	At   time.Time
}

// build is what the processes of a deployment run.
type build struct {
	name           string
	orchestrations *engine.Registry
}

const (
	// maxSteps bounds a run: one that does not settle is a failure.
	maxSteps = 300_000
	// redriven is how long an alarm about dead letters may stand when the
	// faults have stopped.
	redriven = time.Hour
	// longest is how much virtual time a run may take.
	longest = 120 * 24 * time.Hour
)

func newWorld(c choice.Choices, tracing bool, on Services) *World {
	w := &World{choices: c, clock: clock.NewVirtual(epoch), tracing: tracing, most: maxSteps, counts: map[counted]int{},
		on: on, store: on.Store(), ledger: newLedger(), situations: map[string]int{}, attempted: map[string]bool{}, messages: map[string]*message{},
		forged: map[string]bool{forgedToken: true}}
	w.watch = newChecker(w)
	w.stops = on.Activities(w.clock.Now)
	w.openQueues(2*time.Minute, 16*time.Minute)
	tm, err := timermemory.New(timermemory.Options{Clock: w.clock, Journal: on.Timer(), Deliver: func(_ context.Context, s timer.Schedule) error { return w.fire(s) }})
	if err != nil {
		panic(err)
	}
	w.timer = tm
	w.plan = newPlan(&w.choices)
	w.bias = drawBias(&w.choices)
	w.pace = w.drawPace()
	w.settings = host.Settings{Parallelism: 1, DispatchParallelism: 1, BlockLimit: -1}
	if w.roundIn {
		w.settings.RoundReceives = 5
	}
	w.settings.CacheInstances = []int{0, 0, 1, -1}[w.choices.IntN(w.choices.At(choice.OfWorld, "cache"), 4)]
	if w.choices.OneIn(w.choices.At(choice.OfWorld, "timer border"), 3) {
		w.settings.TimerBorder = -1
	}
	// Where somebody waits for what never begins, each round says the same.
	w.settings.EarlyWindow = []time.Duration{0, 2 * time.Minute, 2 * time.Minute, 2 * time.Minute}[w.choices.IntN(w.choices.At(choice.OfWorld, "early window"), 4)]
	w.settings.ContinueLimit = []int{0, 0, 0, 0, 0, 0, 1, 2}[w.choices.IntN(w.choices.At(choice.OfWorld, "continue limit"), 8)]
	w.settings.Parallelism = []int{1, 1, 2, 10}[w.choices.IntN(w.choices.At(choice.OfWorld, "parallelism"), 4)]
	w.settings.DispatchParallelism = w.settings.Parallelism
	w.settings.LookAfter = []time.Duration{0, 0, -1}[w.choices.IntN(w.choices.At(choice.OfWorld, "look after"), 3)]
	w.named = w.choices.Even(w.choices.At(choice.OfWorld, "names of builds"))
	w.slots = 1 + w.choices.IntN(w.choices.At(choice.OfWorld, "processes"), 3)
	if w.bias == crowds {
		// Few at a time, so that some are done long before the last begins.
		w.settings.Parallelism = []int{2, 3, 10}[w.choices.IntN(w.choices.At(choice.OfWorld, "lanes"), 3)]
		w.slots = max(w.slots, 2)
	}
	if w.bias == sharedCalls {
		w.settings.Parallelism, w.slots = 10, 1
	}
	w.entropy = w.choices.IntN(w.choices.At(choice.OfWorld, "entropy"), 1<<30)
	w.sealing = newSealing(w.entropy)
	return w
}

// openQueues makes the queues, empty, with these visibility timeouts.
func (w *World) openQueues(visibility, ofActivities time.Duration) {
	w.deadFIFO = w.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	w.deadStandard = w.newQueue(queuememory.Options{Name: "dead"})
	// Few receives bring messages into the dead-letter queues.
	receives := []int{1000, 1000, 1000, 6}[w.choices.IntN(w.choices.At(choice.OfWorld, "receives"), 4)]
	w.roundIn = receives == 6 && w.choices.Even(w.choices.At(choice.OfWorld, "round in time"))
	w.fifo = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: visibility, DeadLetter: w.deadFIFO.Queue, MaxReceiveCount: receives})
	w.delay = w.newQueue(queuememory.Options{Name: "delay", Visibility: visibility, DeadLetter: w.deadStandard.Queue, MaxReceiveCount: receives})
	w.activityDead = w.newQueue(queuememory.Options{Name: "activitydead", Visibility: visibility, DeadLetter: w.deadStandard.Queue, MaxReceiveCount: 1000})
	attempts := []int{1000, 12}[w.choices.IntN(w.choices.At(choice.OfWorld, "receives of activities"), 2)]
	w.activity = w.newQueue(queuememory.Options{Name: "activity", Visibility: ofActivities, DeadLetter: w.activityDead.Queue, MaxReceiveCount: attempts})
	w.sources = []*simQueue{w.fifo, w.delay, w.activityDead, w.activity}
}

// retention of the queues, the longest that SQS has.
const retention = 14 * 24 * time.Hour

func (w *World) newQueue(o queuememory.Options) *simQueue {
	o.Clock = newQueueClock(w.clock)
	o.Journal = w.on.Queue(o.Name)
	if o.DeadLetter != nil {
		// Operators look at the final dead letters in time.
		o.Retention = retention
		o.Expired = func(m queue.Message) { w.watch.expires(o.Name, m) }
	}
	q, err := queuememory.New(o)
	if err != nil {
		panic(err)
	}
	return &simQueue{q, w, o.Name}
}

// run lets everything happen until nothing is left to come.
func (w *World) run() {
	var ready []*process // that can go on
	for w.Steps = 0; len(w.violations) == 0; w.Steps++ {
		if w.Steps > w.most {
			if w.givenUp = w.most < maxSteps; w.givenUp {
				return
			}
			w.violate("I-03", "no end to the messages after %d steps: %s", w.Steps, w.leftText())
			return
		}
		if !w.calm && (w.plan.left <= 0 || !w.clock.Now().Before(w.plan.until)) {
			w.calmDown()
		}
		w.surprises()
		ready = ready[:0]
		for _, p := range w.processes {
			if p.running != nil && !p.running.wakeAt.After(w.clock.Now()) {
				ready = append(ready, p)
			}
		}
		// Beginning another batch is as likely as each step of those begun.
		if n := w.choices.IntN(w.turn(ready), len(ready)+1); n < len(ready) {
			ready[n].step()
			continue
		}
		if w.receive() {
			continue
		}
		if len(ready) > 0 {
			ready[w.choices.IntN(w.turn(ready), len(ready))].step()
			continue
		}
		next, ok := w.nextDue()
		if !ok {
			if w.calm && w.redrive() == 0 {
				return
			}
			w.calmDown()
			continue
		}
		if next.Sub(epoch) > longest {
			w.violate("I-03", "not settled after %s: %s", longest, w.leftText())
			return
		}
		if rest := next.Sub(w.clock.Now()); (w.calm && rest > redriven || rest > 24*redriven) && w.redrive() > 0 {
			continue
		}
		if !w.calm && next.After(w.plan.until) {
			next = w.plan.until // Operators are not as late as the next timer.
		}
		w.clock.AdvanceTo(next)
	}
}

func (w *World) nextDue() (next time.Time, ok bool) {
	next, ok = w.clock.Next()
	for _, p := range w.processes {
		if p.running != nil && (!ok || p.running.wakeAt.Before(next)) {
			next, ok = p.running.wakeAt, true
		}
	}
	return next, ok
}

// calmDown stops the faults and deploys what works.
func (w *World) calmDown() {
	if w.calm {
		return
	}
	w.log("FAULTS STOP")
	w.calm = true
	if w.sealing.complete != nil {
		w.good = w.scenario.working() // The same code, and all keys: each process is replaced.
	}
	w.deploy(w.good, 0)
}

// close ends everything.
func (w *World) close() {
	for _, p := range slices.Clone(w.processes) {
		p.dead = true
		for p.running != nil && !p.running.done {
			p.running.routine.resume()
		}
		if p.running != nil {
			p.running.routine.stop()
		}
		w.bury(p)
	}
	for _, r := range w.routines {
		r.stop()
	}
	w.timer.Close()
	for _, q := range append(slices.Clone(w.sources), w.deadFIFO, w.deadStandard) {
		q.Queue.Close()
	}
}

// turn is the spot of who runs next: what the first of those that can go on is
// about to do.
func (w *World) turn(ready []*process) choice.Spot {
	if len(ready) == 0 || !w.choices.Located() {
		return choice.OfSchedule
	}
	return w.choices.At(choice.OfSchedule, ready[0].running.about)
}
