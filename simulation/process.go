package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/simulation/choice"
)

// errKilled is what the calls of a dead process return; nobody hears it.
var errKilled = errors.New("simulation: the process is dead")

// process is one that handles messages, one batch at a time, as an environment
// of Lambda does.
type process struct {
	w    *World
	name string
	// orchestrator or worker, the other is nil.
	orchestrator *host.Orchestrator
	worker       *host.Worker
	clock        skewed
	// code is what its build does.
	code *build
	// seen is the last event of each execution that it has seen, by a read or
	// because its own commit was answered.
	seen map[executionKey]int64
	// idle is since when it has nothing to do.
	idle time.Time
	// random is what it draws from. heard is all that it was told, where a
	// scope is searched.
	random *rand.ChaCha8
	heard  []byte

	running *invocation
	// seals: its codecs seal what it writes and sends.
	seals bool
	// notes are the watcher's.
	notes any
	// dead: no call has any effect any more.
	dead bool
	// alarmed: what runs is a function that it gave to its clock.
	alarmed bool
}

// invocation is one batch on its way. It runs as a coroutine that pauses at
// each call, so that any number of them can be interleaved in any way.
type invocation struct {
	p        *process
	batch    []delivered
	failed   []string
	routine  *routine
	wakeAt   time.Time
	strand   *strand   // the one that runs, if it has several
	beside   int       // how many they are
	deadline time.Time // by true time
	began    int       // step
	about    string    // the call that it is about to make, while decisions are located
	// committed are the instances that it has committed turns of.
	committed perInstance[bool]
	done      bool
	// notes are the watcher's.
	notes   any
	expired bool
	// slowed: a call, or the work of an activity, took much longer than it should.
	slowed bool
	// next is the call that it is about to make and verdict what happens to
	// it, where a scope is searched.
	next    nextCall
	verdict Fault
}

// delivered is a message and the queue that it came from.
type delivered struct {
	host.Delivery
	from *simQueue
	// ghost: its message has been deleted already; copy: it was received by
	// another process too, at the same time.
	ghost, copy bool
	// until when a copy may be received.
	until time.Time
}

// deadlineContext has a deadline of virtual time.
type deadlineContext struct {
	context.Context
	at time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) { return c.at, true }

// invoke begins to handle a batch.
func (p *process) invoke(batch []delivered) *invocation {
	limit := time.Minute
	if p.worker != nil {
		limit = 15 * time.Minute
	}
	inv := &invocation{p: p, batch: batch, began: p.w.Steps, wakeAt: p.w.clock.Now(), deadline: p.w.clock.Now().Add(limit)}
	p.running = inv
	p.w.watch.receives(inv)
	ctx := deadlineContext{context.Background(), p.clock.Now().Add(limit)}
	inv.routine = p.w.routine(func() {
		deliveries := make([]host.Delivery, len(batch))
		for i := range batch {
			deliveries[i] = batch[i].Delivery
		}
		if p.worker != nil {
			inv.failed = p.worker.Handle(ctx, deliveries)
		} else {
			inv.failed = p.orchestrator.Handle(ctx, deliveries)
		}
		inv.done = true
	})
	if p.w.choices.Located() {
		p.w.lately = spotText(bodyText(batch[0].Body))
	}
	if p.w.tracing {
		p.w.log("%s receives %s", p.name, batchText(batch))
	}
	p.step()
	return inv
}

// step lets the invocation run up to its next call.
func (p *process) step() {
	inv := p.running
	if p.w.clock.Now().After(inv.deadline) {
		p.w.watch.outOfTime(inv)
		p.die("its invocation is out of time")
	}
	p.w.executing = p
	inv.routine.resume()
	if inv.done {
		p.w.routines = append(p.w.routines, inv.routine)
		p.running = nil
		p.w.finished(inv)
	}
}

// pause lets others run, for at least d.
func (p *process) pause(d time.Duration) {
	if p.dead || p.alarmed {
		return
	}
	p.running.pausesUntil(p.running.strand, p.w.clock.Now().Add(d))
}

// pauseFor is pause where there is something to wait for.
func (p *process) pauseFor(d time.Duration) {
	if d > 0 {
		p.pause(d)
	}
}

// die lets the process be dead from here on.
func (p *process) die(why string) {
	if !p.dead {
		p.dead = true
		if p.running != nil {
			if p.running.beside > 0 {
				p.w.reached("side by side, crash")
			}
			p.w.watch.dies(p.running)
		}
		p.w.log("%s DIES: %s", p.name, why)
	}
}

// class is a kind of calls: what may happen to them, and the errors that tell
// of it.
type class struct {
	of                             service
	faults                         callFaults
	commits                        bool
	unavailable, unknown, conflict error
}

// call makes one call that leaves the process, and lets happen to it what the
// choices say.
func (p *process) call(c *class, what func() string, effect func() error) error {
	if p.dead {
		return errKilled
	}
	w := p.w
	if w.walk != nil && p.alarmed {
		return effect()
	}
	if w.walk != nil {
		return w.walk.call(p, c, what, effect)
	}
	who := ""
	if w.choices.Located() {
		who = spotText(what())
		p.running.about = who
	}
	p.pause(w.latency(p.running, who))
	if p.dead {
		return errKilled
	}
	w.lately = who
	if w.refuses(c.of, p) {
		w.reached("outage")
		if w.tracing {
			w.log("%s %s: refused", p.name, what())
		}
		return fmt.Errorf("%w (simulated)", c.unavailable)
	}
	if w.markIsLate(p, c) {
		w.faulted(LandsLate)
		w.landLater(p, what, effect, w.choices.Even(w.how(LandsLate)))
		if w.build == w.good && w.choices.Even(w.how(LandsLate)) {
			w.deployBroken()
		}
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if c.commits && w.commitIsLate(p) {
		w.faulted(CrashLate)
		w.landLater(p, what, effect, w.choices.Even(w.how(LandsLate)))
		w.deployAtOnce()
		p.die("crash, and its commit lands late")
		return errKilled
	}
	if w.endIsLate(p, c) {
		w.landLater(p, what, effect, w.choices.Even(w.how(LandsLate)))
		w.deployAtOnce()
		if w.choices.Even(w.how(CrashLate)) {
			w.faulted(CrashLate)
			p.die("crash, and its commit lands late")
			return errKilled
		}
		w.faulted(LandsLate)
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if f := w.hitCall(c.faults, who); f != faultEnd {
		if w.tracing {
			w.log("%s %s: FAULT %s", p.name, what(), f)
		}
		switch f {
		case CrashBefore:
			p.die("crash")
			return errKilled
		case CrashAfter:
			_ = effect()
			p.die("crash")
			return errKilled
		case CrashLate:
			w.landLater(p, what, effect, c == tellingWrite && w.meanwhile(who))
			p.die("crash")
			return errKilled
		case Unavailable:
			return fmt.Errorf("%w (simulated)", c.unavailable)
		case AnswerLost:
			_ = effect()
			return fmt.Errorf("%w (simulated)", c.unknown)
		case LandsLate:
			w.landLater(p, what, effect, c == tellingWrite && w.meanwhile(who))
			return fmt.Errorf("%w (simulated)", c.unknown)
		case NeverLands:
			return fmt.Errorf("%w (simulated)", c.unknown)
		case Repeated:
			// The client library knows its own write again.
			first := effect()
			if w.choices.Even(w.how(Repeated)) {
				w.landLater(p, what, effect, false)
				return first
			}
			if second := effect(); first != nil {
				return second
			}
			return nil
		case FalseConflict:
			return fmt.Errorf("%w (simulated)", c.conflict)
		}
	}
	err := effect()
	if w.tracing {
		answer := ""
		if err != nil {
			answer = ": " + err.Error()
		}
		w.log("%s %s%s", p.name, what(), answer)
	}
	return err
}

// latency of a call.
func (w *World) latency(inv *invocation, who string) time.Duration {
	switch at := w.choices.At(choice.OfDelivery, who); {
	case w.hitFor(OutOfTime, who):
		inv.slowed = true
		return time.Duration(30+w.choices.IntN(w.how(OutOfTime), 60)) * time.Second
	case w.hitFor(Slow, who):
		inv.slowed = true
		return time.Duration(w.choices.IntN(w.how(Slow), 20)) * time.Second
	case w.choices.OneIn(at, 4):
		return w.pace + time.Duration(w.choices.IntN(at, 50))*time.Millisecond
	}
	return w.pace
}

// landLater lets a call take effect some time later: seconds mostly, up to ten
// minutes at times; behind the return of its messages, if that is asked for.
func (w *World) landLater(p *process, what func() string, effect func() error, behind bool) {
	d := time.Duration(w.choices.IntN(w.how(LandsLate), 20_000)) * time.Millisecond
	d *= [...]time.Duration{1, 1, 3, 30}[w.choices.IntN(w.how(LandsLate), 4)]
	if behind {
		d += 150 * time.Second
	}
	text := ""
	if w.tracing {
		text = what()
	}
	w.clock.AfterFunc(d, func() {
		err := effect()
		w.log("%s %s: lands late: %v", p.name, text, err)
	})
}
