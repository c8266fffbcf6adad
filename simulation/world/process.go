package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/orchestrator"
	"github.com/turnstile-go/turnstile/host/worker"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/fault"
	"github.com/turnstile-go/turnstile/simulation/ledger"
)

// ErrKilled is what the calls of a dead process return; nobody hears it.
var ErrKilled = errors.New("simulation: the process is dead")

// Process is one that handles messages, one batch at a time, as an environment
// of Lambda does.
type Process struct {
	W    *World
	Name string
	// Orchestrator or worker, the other is nil.
	Orchestrator *orchestrator.Orchestrator
	Worker       *worker.Worker
	clock        skewed
	// Code is what its build does.
	Code *Build
	// Seen is the last event of each execution that it has seen, by a read or
	// because its own commit was answered.
	Seen map[ledger.Execution]int64
	// Idle is since when it has nothing to do.
	Idle time.Time
	// random is what it draws from. heard is all that it was told, where a
	// scope is searched.
	random *rand.ChaCha8
	heard  []byte

	Running *Invocation
	// Seals: its codecs seal what it writes and sends.
	Seals bool
	// Notes are the watcher's.
	Notes any
	// Dead: no call has any effect any more.
	Dead bool
	// alarmed: what runs is a function that it gave to its clock.
	alarmed bool
}

// Invocation is one batch on its way. It runs as a coroutine that pauses at
// each call, so that any number of them can be interleaved in any way.
type Invocation struct {
	P        *Process
	Batch    []Delivered
	failed   []string
	routine  *routine
	wakeAt   time.Time
	strand   *strand   // the one that runs, if it has several
	beside   int       // how many they are
	Deadline time.Time // by true time
	Began    int       // step
	about    string    // the call that it is about to make, while decisions are located
	// Committed are the instances that it has committed turns of.
	Committed ledger.ByInstance[bool]
	done      bool
	// Notes are the watcher's.
	Notes   any
	Expired bool
	// Slowed: a call, or the work of an activity, took much longer than it should.
	Slowed bool
	// next is the call that it is about to make and verdict what happens to
	// it, where a scope is searched.
	next    nextCall
	verdict fault.Kind
}

// Delivered is a message and the queue that it came from.
type Delivered struct {
	host.Delivery
	From *Queue
	// Ghost: its message has been deleted already; copy: it was received by
	// another process too, at the same time.
	Ghost, copy bool
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
func (p *Process) invoke(batch []Delivered) *Invocation {
	limit := time.Minute
	if p.Worker != nil {
		limit = 15 * time.Minute
	}
	inv := &Invocation{P: p, Batch: batch, Began: p.W.Steps, wakeAt: p.W.Clock.Now(), Deadline: p.W.Clock.Now().Add(limit)}
	p.Running = inv
	p.W.Watch.Receives(inv)
	ctx := deadlineContext{context.Background(), p.clock.Now().Add(limit)}
	inv.routine = p.W.routine(func() {
		deliveries := make([]host.Delivery, len(batch))
		for i := range batch {
			deliveries[i] = batch[i].Delivery
		}
		if p.Worker != nil {
			inv.failed = p.Worker.Handle(ctx, deliveries)
		} else {
			inv.failed = p.Orchestrator.Handle(ctx, deliveries)
		}
		inv.done = true
	})
	if p.W.Choices.Located() {
		p.W.lately = spotText(BodyText(batch[0].Body))
	}
	if p.W.Tracing {
		p.W.Log("%s receives %s", p.Name, batchText(batch))
	}
	p.step()
	return inv
}

// step lets the invocation run up to its next call.
func (p *Process) step() {
	inv := p.Running
	if p.W.Clock.Now().After(inv.Deadline) {
		p.W.Watch.OutOfTime(inv)
		p.Die("its invocation is out of time")
	}
	p.W.Executing = p
	inv.routine.resume()
	if inv.done {
		p.W.routines = append(p.W.routines, inv.routine)
		p.Running = nil
		p.W.finished(inv)
	}
}

// Pause lets others run, for at least d.
func (p *Process) Pause(d time.Duration) {
	if p.Dead || p.alarmed {
		return
	}
	p.Running.pausesUntil(p.Running.strand, p.W.Clock.Now().Add(d))
}

// pauseFor is pause where there is something to wait for.
func (p *Process) pauseFor(d time.Duration) {
	if d > 0 {
		p.Pause(d)
	}
}

// Die lets the process be dead from here on.
func (p *Process) Die(why string) {
	if !p.Dead {
		p.Dead = true
		if p.Running != nil {
			if p.Running.beside > 0 {
				p.W.Reached("side by side, crash")
			}
			p.W.Watch.Dies(p.Running)
		}
		p.W.Log("%s DIES: %s", p.Name, why)
	}
}

// class is a kind of calls: what may happen to them, and the errors that tell
// of it.
type class struct {
	of                             service
	faults                         fault.Calls
	commits                        bool
	unavailable, unknown, conflict error
}

// call makes one call that leaves the process, and lets happen to it what the
// choices say.
func (p *Process) call(c *class, what func() string, effect func() error) error {
	if p.Dead {
		return ErrKilled
	}
	w := p.W
	if w.Walk != nil && p.alarmed {
		return effect()
	}
	if w.Walk != nil {
		return w.Walk.call(p, c, what, effect)
	}
	who := ""
	if w.Choices.Located() {
		who = spotText(what())
		p.Running.about = who
	}
	p.Pause(w.latency(p.Running, who))
	if p.Dead {
		return ErrKilled
	}
	w.lately = who
	if w.refuses(c.of, p) {
		if c.of == theQueues {
			w.QueueRefusals++
		}
		w.Reached("outage")
		if w.Tracing {
			w.Log("%s %s: refused", p.Name, what())
		}
		return fmt.Errorf("%w (simulated)", c.unavailable)
	}
	if w.markIsLate(p, c) {
		w.faulted(fault.LandsLate)
		w.landLater(p, what, effect, w.Choices.Even(w.How(fault.LandsLate)))
		if w.Build == w.Good && w.Choices.Even(w.How(fault.LandsLate)) {
			w.DeployBroken()
		}
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if c.commits && w.commitIsLate(p) {
		w.faulted(fault.CrashLate)
		w.landLater(p, what, effect, w.Choices.Even(w.How(fault.LandsLate)))
		w.deployAtOnce()
		p.Die("crash, and its commit lands late")
		return ErrKilled
	}
	if w.endIsLate(p, c) {
		w.landLater(p, what, effect, w.Choices.Even(w.How(fault.LandsLate)))
		w.deployAtOnce()
		if w.Choices.Even(w.How(fault.CrashLate)) {
			w.faulted(fault.CrashLate)
			p.Die("crash, and its commit lands late")
			return ErrKilled
		}
		w.faulted(fault.LandsLate)
		return fmt.Errorf("%w (simulated)", c.unknown)
	}
	if f := w.hitCall(c.faults, who); f != fault.None {
		if w.Tracing {
			w.Log("%s %s: FAULT %s", p.Name, what(), f)
		}
		switch f {
		case fault.CrashBefore:
			p.Die("crash")
			return ErrKilled
		case fault.CrashAfter:
			_ = effect()
			p.Die("crash")
			return ErrKilled
		case fault.CrashLate:
			w.landLater(p, what, effect, c == tellingWrite && w.meanwhile(who))
			p.Die("crash")
			return ErrKilled
		case fault.Unavailable:
			return fmt.Errorf("%w (simulated)", c.unavailable)
		case fault.AnswerLost:
			_ = effect()
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.LandsLate:
			w.landLater(p, what, effect, c == tellingWrite && w.meanwhile(who))
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.NeverLands:
			return fmt.Errorf("%w (simulated)", c.unknown)
		case fault.Repeated:
			// The client library knows its own write again.
			first := effect()
			if w.Choices.Even(w.How(fault.Repeated)) {
				w.landLater(p, what, effect, false)
				return first
			}
			if second := effect(); first != nil {
				return second
			}
			return nil
		case fault.FalseConflict:
			return fmt.Errorf("%w (simulated)", c.conflict)
		}
	}
	err := effect()
	if w.Tracing {
		answer := ""
		if err != nil {
			answer = ": " + err.Error()
		}
		w.Log("%s %s%s", p.Name, what(), answer)
	}
	return err
}

// latency of a call.
func (w *World) latency(inv *Invocation, who string) time.Duration {
	switch at := w.Choices.At(choice.OfDelivery, who); {
	case w.hitFor(fault.OutOfTime, who):
		inv.Slowed = true
		return time.Duration(30+w.Choices.IntN(w.How(fault.OutOfTime), 60)) * time.Second
	case w.hitFor(fault.Slow, who):
		inv.Slowed = true
		return time.Duration(w.Choices.IntN(w.How(fault.Slow), 20)) * time.Second
	case w.Choices.OneIn(at, 4):
		return w.pace + time.Duration(w.Choices.IntN(at, 50))*time.Millisecond
	}
	return w.pace
}

// landLater lets a call take effect some time later: seconds mostly, up to ten
// minutes at times; behind the return of its messages, if that is asked for.
func (w *World) landLater(p *Process, what func() string, effect func() error, behind bool) {
	d := time.Duration(w.Choices.IntN(w.How(fault.LandsLate), 20_000)) * time.Millisecond
	d *= [...]time.Duration{1, 1, 3, 30}[w.Choices.IntN(w.How(fault.LandsLate), 4)]
	if behind {
		d += 150 * time.Second
	}
	text := ""
	if w.Tracing {
		text = what()
	}
	w.Clock.AfterFunc(d, func() {
		err := effect()
		w.Log("%s %s: lands late: %v", p.Name, text, err)
	})
}

// note writes into a map that is made when it is needed: most invocations need
// few of theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
