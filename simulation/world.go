package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	storememory "github.com/turnstile-go/turnstile/store/memory"
	"github.com/turnstile-go/turnstile/timer"
	timermemory "github.com/turnstile-go/turnstile/timer/memory"
	"github.com/turnstile-go/turnstile/wire"
)

// World is one run: queues, store and timer in virtual time, the processes
// that use them, and what is known of all that happened.
type World struct {
	Seed uint64
	// Faults that happened, by kind; Counts is what the processes told their
	// observers; Steps how often something was scheduled to run.
	Faults [faultEnd]int
	Counts map[string]int
	Steps  int
	// Commits that landed.
	Commits int

	random  *rand.Rand
	clock   *clock
	tracing bool
	trace   strings.Builder

	store *storememory.Store
	stops *storememory.Activities
	timer *timermemory.Timer
	// The queues; sources are those that messages are received from.
	fifo, delay, activity, activityDead, deadFIFO, deadStandard *simQueue
	sources                                                     []*simQueue

	settings host.Settings
	plan     plan
	calm     bool // faults have stopped

	processes []*process
	executing *process // whose step it is
	slots     int      // processes of each role
	started   int      // processes so far
	build     *build
	good      *build
	replaceAt time.Time
	bad       int // builds that do not work, so far
	ghosts    []delivered
	returning []delivered // ghosts to be received again
	// attempted are the tokens of commits that were sent.
	attempted map[string]bool
	items     map[string]wire.Item // by body
	lost      bool                 // an activity was given up after all its deliveries

	scenario   scenario
	shadow     shadow
	violations []Violation
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
	maxSteps = 60_000
	// longest is how much virtual time a run may take.
	longest = 120 * 24 * time.Hour
)

func newWorld(seed uint64, tracing bool) *World {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	w := &World{Seed: seed, random: rand.New(rand.NewChaCha8(key)), clock: newClock(), tracing: tracing, Counts: map[string]int{},
		store: storememory.New(), shadow: newShadow(), attempted: map[string]bool{}, items: map[string]wire.Item{}}
	w.stops = storememory.NewActivities(w.clock.Now)
	w.deadFIFO = w.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	w.deadStandard = w.newQueue(queuememory.Options{Name: "dead"})
	w.fifo = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: 2 * time.Minute, DeadLetter: w.deadFIFO.Queue, MaxReceiveCount: 100})
	w.delay = w.newQueue(queuememory.Options{Name: "delay", Visibility: 2 * time.Minute, DeadLetter: w.deadStandard.Queue, MaxReceiveCount: 100})
	w.activityDead = w.newQueue(queuememory.Options{Name: "activitydead", Visibility: 2 * time.Minute, DeadLetter: w.deadStandard.Queue, MaxReceiveCount: 100})
	w.activity = w.newQueue(queuememory.Options{Name: "activity", Visibility: 16 * time.Minute, DeadLetter: w.activityDead.Queue, MaxReceiveCount: 10})
	w.sources = []*simQueue{w.fifo, w.delay, w.activityDead, w.activity}
	tm, err := timermemory.New(timermemory.Options{Clock: w.clock, Deliver: func(_ context.Context, s timer.Schedule) error { return w.fire(s) }})
	if err != nil {
		panic(err)
	}
	w.timer = tm
	w.plan = newPlan(w.random)
	w.settings = host.Settings{Parallelism: 1, BlockLimit: -1}
	switch w.random.IntN(4) {
	case 0:
		w.settings.CacheInstances = -1
	case 1:
		w.settings.CacheInstances = 1
	}
	if w.random.IntN(3) == 0 {
		w.settings.TimerBorder = -1
	}
	if w.random.IntN(4) == 0 {
		w.settings.ContinueLimit = 1 + w.random.IntN(2)
	}
	w.slots = 1 + w.random.IntN(3)
	return w
}

func (w *World) newQueue(o queuememory.Options) *simQueue {
	o.Clock = w.clock
	q, err := queuememory.New(o)
	if err != nil {
		panic(err)
	}
	return &simQueue{q, w, o.Name}
}

// newProcess starts a process of the build that is deployed.
func (w *World) newProcess(worker bool) *process {
	w.started++
	p := &process{w: w, code: w.build, clock: skewed{clock: w.clock}, seen: map[executionKey]int64{}}
	if w.hit(Skew) {
		p.clock.off = time.Duration(w.random.IntN(10*60)-5*60) * time.Second
	}
	queues := host.Queues{
		Orchestrator: processQueue{w.fifo, p}, Delay: processQueue{w.delay, p}, Activity: processQueue{w.activity, p},
		ActivityDead: processQueue{w.activityDead, p}, DeadFIFO: processQueue{w.deadFIFO, p}, DeadStandard: processQueue{w.deadStandard, p},
	}
	var key [32]byte
	for i := range key {
		key[i] = byte(w.random.Uint32())
	}
	source := rand.NewChaCha8(key)
	here := func(f func()) { f() }
	var err error
	if worker {
		p.name = fmt.Sprintf("worker%d", w.started)
		queues.DeadFIFO, queues.DeadStandard = nil, nil
		p.worker, err = host.NewWorker(host.WorkerConfig{Activities: w.scenario.activities(p), Stops: simStops{w.stops, p}, Queues: queues,
			Settings: w.settings, Clock: p.clock, Random: source, Go: here, Observer: observer{p: p}, Logger: w.logger(p)})
	} else {
		p.name = fmt.Sprintf("orch%d", w.started)
		p.orchestrator, err = host.NewOrchestrator(host.OrchestratorConfig{
			Orchestrations: p.code.orchestrations, Inline: w.scenario.inline(p), Store: simStore{w.store, p}, Stops: simStops{w.stops, p},
			Queues: queues, Timer: simTimer{w.timer, p}, Settings: w.settings, Clock: p.clock, Random: source, Go: here,
			Observer: observer{p: p}, Logger: w.logger(p)})
	}
	if err != nil {
		panic(err)
	}
	w.log("%s starts with build %s, its clock %s off", p.name, p.code.name, p.clock.off)
	return p
}

// bury ends a process that is not running; another takes its place when there
// is something to do.
func (w *World) bury(p *process) {
	p.dead = true
	if p.orchestrator != nil {
		p.orchestrator.Close()
	}
	w.processes = slices.DeleteFunc(w.processes, func(other *process) bool { return other == p })
}

// free reports whether a process of the role has nothing to do, or can be
// started.
func (w *World) free(worker bool) bool {
	n := 0
	for _, p := range w.processes {
		if (p.worker != nil) == worker {
			if p.running == nil {
				return true
			}
			n++
		}
	}
	return n < w.slots
}

// idle returns a process of the role that has nothing to do; one is free.
func (w *World) idle(worker bool) *process {
	var free []*process
	n := 0
	for _, p := range w.processes {
		if (p.worker != nil) == worker {
			n++
			if p.running == nil {
				free = append(free, p)
			}
		}
	}
	if n < w.slots && (len(free) == 0 || w.random.IntN(4) == 0) {
		p := w.newProcess(worker)
		w.processes = append(w.processes, p)
		return p
	}
	return free[w.random.IntN(len(free))]
}

// run lets everything happen until nothing is left to come.
func (w *World) run() {
	for w.Steps = 0; len(w.violations) == 0; w.Steps++ {
		if w.Steps > maxSteps {
			w.violate("I-03", "no end to the messages after %d steps: %s", w.Steps, w.leftText())
			return
		}
		if !w.calm && (w.plan.left <= 0 || !w.clock.now.Before(w.plan.until)) {
			w.calmDown()
		}
		w.surprises()
		var ready []*process
		for _, p := range w.processes {
			if p.running != nil && !p.running.wakeAt.After(w.clock.now) {
				ready = append(ready, p)
			}
		}
		// Beginning another batch is as likely as each step of those begun.
		if n := w.random.IntN(len(ready) + 1); n < len(ready) {
			ready[n].step()
			continue
		}
		if w.receive() {
			continue
		}
		if len(ready) > 0 {
			ready[w.random.IntN(len(ready))].step()
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
		w.clock.advanceTo(next)
	}
}

func (w *World) nextDue() (next time.Time, ok bool) {
	next, ok = w.clock.next()
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
	w.deploy(w.good, 0)
}

// deploy replaces the processes: the idle ones at once or, a rolling
// deployment, some time later; the others behind their invocation.
func (w *World) deploy(b *build, within time.Duration) {
	w.log("DEPLOY of build %s within %s", b.name, within)
	w.build, w.replaceAt = b, w.clock.now.Add(within)
	w.clock.AfterFunc(within, func() {
		for _, p := range slices.Clone(w.processes) {
			if p.code != w.build && p.running == nil {
				w.bury(p)
			}
		}
	})
}

// receive takes a batch from a queue and gives it to a process.
func (w *World) receive() bool {
	for _, i := range w.random.Perm(len(w.sources)) {
		from := w.sources[i]
		worker := from == w.activity
		if !w.free(worker) {
			continue
		}
		batch := w.receiveFrom(from)
		if len(batch) == 0 {
			continue
		}
		if w.hit(Unhandled) {
			if w.tracing {
				w.log("a receive of %s is handled by nobody", batchText(batch))
			}
			for _, m := range batch {
				w.ghostReturns(m)
			}
			return true
		}
		p := w.idle(worker)
		if !worker && w.hit(MixedBatch) {
			batch = append(batch, w.receiveFrom(w.sources[w.random.IntN(3)])...)
		}
		if w.hit(Expired) {
			for _, m := range batch {
				if !m.ghost {
					_ = m.from.Queue.SetVisibility(context.Background(), m.Message, time.Duration(w.random.IntN(3))*time.Second)
				}
			}
		}
		p.invoke(batch)
		return true
	}
	return false
}

func (w *World) receiveFrom(from *simQueue) []delivered {
	source := host.SourceOrchestrator
	switch from {
	case w.delay:
		source = host.SourceDelay
	case w.activityDead:
		source = host.SourceActivityDead
	case w.activity:
		source = host.SourceActivity
	}
	var batch []delivered
	for i, g := range w.returning {
		if g.from == from {
			w.returning = slices.Delete(w.returning, i, i+1)
			g.ReceiveCount++
			return []delivered{g}
		}
	}
	if len(w.ghosts) > 0 && w.hit(Ghost) {
		g := w.ghosts[w.random.IntN(len(w.ghosts))]
		if g.from == from {
			g.ghost = true
			g.ReceiveCount++
			return []delivered{g}
		}
	}
	n := 10
	if w.random.IntN(2) == 0 {
		n = 1 + w.random.IntN(10)
	}
	msgs, err := from.Queue.Receive(context.Background(), n, 0)
	if err != nil {
		w.violate("world", "receive: %v", err)
	}
	for _, m := range msgs {
		batch = append(batch, delivered{Delivery: host.Delivery{Message: m, Source: source}, from: from})
	}
	return batch
}

// surprises are what happens to the surroundings.
func (w *World) surprises() {
	if w.calm {
		return
	}
	if w.hit(Frozen) {
		d := time.Duration(1+w.random.IntN(48)) * time.Hour
		w.log("nothing runs for %s", d)
		// Invocations under way end with the environment's timeout.
		w.clock.advanceTo(w.clock.now.Add(d))
	}
	if w.hit(Deployed) && w.build == w.good {
		b := w.scenario.broken(w)
		w.bad++
		w.deploy(b, time.Duration(w.random.IntN(60))*time.Second)
		w.clock.AfterFunc(time.Duration(1+w.random.IntN(6*3600))*time.Second, func() {
			if w.build == b {
				w.deploy(w.good, time.Duration(w.random.IntN(60))*time.Second)
			}
		})
	}
	if w.hit(Forged) {
		w.forge()
	}
	if w.hit(Operator) {
		if all := w.shadow.instances(); len(all) > 0 {
			w.sendItem(wire.Item{Kind: wire.Wake, Instance: all[w.random.IntN(len(all))], ID: fmt.Sprintf("operator-%d", w.Steps)})
		}
	}
}

// close ends everything.
func (w *World) close() {
	for _, p := range slices.Clone(w.processes) {
		p.dead = true
		for p.running != nil && !p.running.done {
			p.running.resume()
		}
		w.bury(p)
	}
	w.timer.Close()
	for _, q := range append(slices.Clone(w.sources), w.deadFIFO, w.deadStandard) {
		q.Queue.Close()
	}
}

// forge sends a completion of something that is open, without its token.
func (w *World) forge() {
	all := w.shadow.instances()
	if len(all) == 0 {
		return
	}
	instance := all[w.random.IntN(len(all))]
	n := w.shadow.last[instance]
	for _, e := range w.shadow.executions[executionKey{instance, n}].events {
		if e.Kind == history.ActivityScheduled && w.random.IntN(2) == 0 {
			w.sendItem(wire.Item{Kind: wire.ActivityCompleted, Instance: instance, ExecutionID: n, SourceEventID: e.EventID,
				Token: forgedToken, Result: []byte(`"forged"`)})
			return
		}
	}
}

const forgedToken = "00000000000000000000000000000000"
