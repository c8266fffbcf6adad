package world

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
)

// ErrKilled is returned by all calls of a dead process; no code acts on it.
var ErrKilled = errors.New("simulation: the process is dead")

// Process handles messages, one batch at a time, like an execution environment of Lambda.
type Process struct {
	W    *World
	Name string
	// Orchestrator or worker; the other is nil.
	Orchestrator *orchestrator.Orchestrator
	Worker       *worker.Worker
	clock        skewed
	// Serves is the queue of a worker; nil for an orchestrator. queues are the named queues that
	// the process knows, as of this configuration number.
	Serves     *Queue
	queues     []string
	configured int
	// Code is the behavior of its build.
	Code *Build
	// Seen is the last event of each execution that the process has seen, in a read or in the
	// answer to its own commit.
	Seen map[ledger.Execution]int64
	// Idle is when the process became idle.
	Idle time.Time
	// random is its source of random numbers. received is everything that the process has received,
	// recorded only in the search of a scope.
	random   *rand.ChaCha8
	received []byte

	Running *Invocation
	// codecs decode what it reads and receives; nil for none.
	codecs *codec.Set
	// Encodes is set if its codecs encode what it writes and sends.
	Encodes bool
	// Notes belong to the watcher.
	Notes any
	// Dead is set if its calls no longer have any effect.
	Dead bool
	// alarmed is set if the running code is a function that it gave to its clock.
	alarmed bool
}

// Invocation is the processing of one batch. It runs as a coroutine that pauses at each call,
// so that any number of invocations can be interleaved in any way.
type Invocation struct {
	P        *Process
	Batch    []Delivered
	failed   []string
	routine  *routine
	wakeAt   time.Time
	strand   *strand   // the running strand, if there are several
	beside   int       // their number
	Deadline time.Time // by true time
	// StopsFailed is set if a call to the activities table has failed in this invocation.
	StopsFailed bool
	Started     int    // step
	about       string // the next call of the invocation, while decisions are located
	// Committed are the instances whose turns the invocation has committed.
	Committed ledger.ByInstance[bool]
	done      bool
	// Notes belong to the watcher.
	Notes   any
	Expired bool
	// unheard is set if, because of a bias, a commit of this process lands late, and no retry of
	// the commit lands before.
	unheard bool
	// called is set if the invocation has made a call. Refused are the messages whose visibility it
	// could not confirm to have extended for its whole duration.
	called  bool
	Refused map[string]bool
	// Fooled are the messages whose visibility the queue claimed to extend through an expired
	// receipt, and did not.
	Fooled map[string]bool
	// Duplicate is set if another process also gets this batch, with the same receipts.
	Duplicate bool
	// stallIn is the number of calls from now before which the process pauses; 0 for
	// never.
	stallIn int
	// Slowed is set if a call, or the work of an activity, took much longer than it should.
	// SlowCall: a call did.
	Slowed, SlowCall bool
	// next is the next call of the invocation, and verdict what happens to that call, in the search
	// of a scope.
	next    nextCall
	verdict fault.Kind
}

// Delivered is a message and the queue from which it came.
type Delivered struct {
	platform.Delivery
	From *Queue
	// Ghost is set if the message has already been deleted; Copied, if another process has also
	// received it, at the same time; Late, if its handler starts after its visibility has ended.
	Ghost, Copied, Late bool
	// until is the latest time at which a copy may be received.
	until time.Time
}

// Has reports whether a message belongs to the batch.
func (inv *Invocation) Has(id string) bool {
	return slices.ContainsFunc(inv.Batch, func(m Delivered) bool { return m.ID == id })
}

// deadlineContext has a deadline in virtual time.
type deadlineContext struct {
	context.Context
	at time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) { return c.at, true }

// invoke starts to handle a batch, whose messages may have expired.
func (p *Process) invoke(batch []Delivered, expired bool) *Invocation {
	limit := time.Minute
	if p.Worker != nil {
		limit = 15 * time.Minute
	}
	inv := &Invocation{P: p, Batch: batch, Started: p.W.Steps, wakeAt: p.W.Clock.Now(), Deadline: p.W.Clock.Now().Add(limit), Expired: expired}
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

// step runs the invocation until its next call.
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

// pauseFor pauses if d is positive.
func (p *Process) pauseFor(d time.Duration) {
	if d > 0 {
		p.Pause(d)
	}
}

// Die kills the process.
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

// note writes into a map that is created on first use, because most invocations need few of
// theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
