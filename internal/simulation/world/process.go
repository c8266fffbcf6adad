package world

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
)

// ErrKilled is what the calls of a dead process return; no code acts on it.
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
	// Serves is the queue of a worker; nil for an orchestrator. queues are those that it knows
	// by a name, since the configuration of that number.
	Serves     *Queue
	queues     []string
	configured int
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
	// StopsFailed: a call about activities has failed in it.
	StopsFailed bool
	Began       int    // step
	about       string // the call that it is about to make, while decisions are located
	// Committed are the instances that it has committed turns of.
	Committed ledger.ByInstance[bool]
	done      bool
	// Notes are the watcher's.
	Notes   any
	Expired bool
	// unheard: a commit of its own lands late, by a bias, and no repeat of it does before.
	unheard bool
	// called: it has made a call. Refused are the messages for which it got no confirmation
	// that they stay hidden for as long as it runs.
	called  bool
	Refused map[string]bool
	// Fooled are the messages that its queue said to hide by an old receipt, and did not.
	Fooled map[string]bool
	// Twin: another process gets its batch too, with the same receipts.
	Twin bool
	// stallIn is before how many calls from here the process stands still; 0 for never.
	stallIn int
	// Slowed: a call, or the work of an activity, took much longer than it should. SlowCall: a
	// call did.
	Slowed, SlowCall bool
	// next is the call that it is about to make and verdict what happens to
	// it, where a scope is searched.
	next    nextCall
	verdict fault.Kind
}

// Delivered is a message and the queue that it came from.
type Delivered struct {
	platform.Delivery
	From *Queue
	// Ghost: its message has been deleted already; Copied: it was received by
	// another process too, at the same time; Late: its handler begins when its visibility
	// is over.
	Ghost, Copied, Late bool
	// until when a copy may be received.
	until time.Time
}

// Has reports whether a message is one of the batch.
func (inv *Invocation) Has(id string) bool {
	return slices.ContainsFunc(inv.Batch, func(m Delivered) bool { return m.ID == id })
}

// deadlineContext has a deadline of virtual time.
type deadlineContext struct {
	context.Context
	at time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) { return c.at, true }

// invoke begins to handle a batch, the messages of which may have expired.
func (p *Process) invoke(batch []Delivered, expired bool) *Invocation {
	limit := time.Minute
	if p.Worker != nil {
		limit = 15 * time.Minute
	}
	inv := &Invocation{P: p, Batch: batch, Began: p.W.Steps, wakeAt: p.W.Clock.Now(), Deadline: p.W.Clock.Now().Add(limit), Expired: expired}
	p.Running = inv
	p.W.Watch.Receives(inv)
	ctx := deadlineContext{context.Background(), p.clock.Now().Add(limit)}
	inv.routine = p.W.routine(func() {
		deliveries := make([]platform.Delivery, len(batch))
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
			p.W.Died = true
			p.W.Watch.Dies(p.Running)
		}
		p.W.Log("%s DIES: %s", p.Name, why)
	}
}

// note writes into a map that is made when it is needed: most invocations need
// few of theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
