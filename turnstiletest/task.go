package turnstiletest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queues"
)

// task is a batch of messages on its way through a process. It runs on a
// goroutine of its own, but never at the same time as another or as the test:
// one hands over to the other.
type task struct {
	env   *Env
	from  queues.Source
	batch []queue.Message
	// invocation is its number, from 1.
	invocation int
	// again: its messages were delivered before, and are answered for there.
	again        bool
	orchestrator *orchestrator.Orchestrator
	failed       []string
	// dead: its process was killed; guarded by the boundary.
	dead bool

	// turn hands over to the test: true when the task is done. resumed hands
	// back.
	turn    chan bool
	resumed chan struct{}
	waiting *waiting
	// attempt whose code runs now; nil between attempts.
	attempt atomic.Pointer[attemptState]
	// credit is virtual time that this attempt has passed in a delivery that
	// was lost: it is not passed again.
	credit time.Duration
	// away is the real time in which others have worked while this task was paused.
	away time.Duration
	// passing: its code is in Sleep.
	passing atomic.Bool
}

// waiting is what a task waits for: a time, or the end of its context.
type waiting struct {
	ctx    context.Context
	passed bool
}

func (w *waiting) over() bool { return w.passed || w.ctx.Err() != nil }

type taskKey struct{}

// attemptKey names an attempt over all its deliveries.
type attemptKey struct {
	idempotencyKey string
	attempt        int
}

// attemptState is what is known of an attempt.
type attemptState struct {
	name string
	// passed is how much virtual time its code let pass.
	passed     time.Duration
	deliveries int
}

// Limits of an invocation, as in the template.
const (
	orchestratorTime = time.Minute
	workerTime       = 15 * time.Minute
)

// deadline is a context whose deadline is one of virtual time.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// run is the task's goroutine.
func (t *task) run() {
	defer func() { t.turn <- true }()
	limit := orchestratorTime
	if t.from.Is == platform.SourceActivity {
		limit = workerTime
	}
	ctx := context.WithValue(context.Context(deadline{t.env.ctx, t.env.clock.Now().Add(limit)}), taskKey{}, t)
	deliveries := make([]platform.Delivery, len(t.batch))
	for i, m := range t.batch {
		deliveries[i] = platform.Delivery{Message: m, Source: t.from.Is}
	}
	if t.from.Is == platform.SourceActivity {
		t.failed = t.env.worker.Handle(ctx, deliveries)
	} else {
		t.failed = t.orchestrator.Handle(ctx, deliveries)
	}
}

// here is how the host starts the code of an attempt: it waits for it, so that
// only one thing runs at a time. The goroutine is one of its own because the
// code may end it.
func here(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// pause lets others work until d has passed or ctx has ended, and returns the
// cause of that.
func (t *task) pause(ctx context.Context, d time.Duration) error {
	w := &waiting{ctx: ctx}
	stop := t.env.clock.AfterFunc(d, func() { w.passed = true })
	defer stop()
	t.waiting = w
	left := t.env.opts.now()
	t.turn <- false
	<-t.resumed
	t.away += t.env.opts.now().Sub(left)
	return context.Cause(ctx)
}

var _ clock.Sleeper = envClock{}

// envClock is the clock as a process sees it.
type envClock struct{ *clock.Virtual }

// Sleep lets others work while a turn waits.
func (c envClock) Sleep(ctx context.Context, d time.Duration) error {
	if t, ok := ctx.Value(taskKey{}).(*task); ok {
		return t.pause(ctx, d)
	}
	return ctx.Err()
}

// Sleep lets d of virtual time pass in an activity that runs in an Env, while all
// other work goes on: so an activity takes its time in a test. It returns the cause
// for which ctx has ended, if that comes first: a timeout, or a request to stop
// that a Heartbeat has seen. Give a long time to wait for the end of ctx.
//
// An activity that waits in production takes its wait as a dependency, a
// func(context.Context, time.Duration) error, which Sleep is. One that just
// waits for its context to end gets it too, but after five seconds of real time.
//
// It is an error outside of an Env, and in two goroutines of an attempt at
// once.
func Sleep(ctx context.Context, d time.Duration) error {
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return errors.New("turnstiletest: Sleep: the context is not that of an activity in a turnstiletest.Env")
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if t.env.boundary.isDead(t) {
		return errKilled
	}
	if !t.passing.CompareAndSwap(false, true) {
		return errors.New("turnstiletest: Sleep: another goroutine of this attempt lets time pass already: let one of them do it")
	}
	defer t.passing.Store(false)
	if a := t.attempt.Load(); a != nil {
		used := min(t.credit, d)
		t.credit -= used
		d -= used
		before := t.env.clock.Now()
		defer func() { a.passed += t.env.clock.Now().Sub(before) }()
	}
	if d <= 0 {
		return nil
	}
	return t.pause(ctx, d)
}

// begin notes that the code of an attempt begins. It reports whether this is
// its first delivery.
func (t *task) begin(info activities.Info) (first bool) {
	key := attemptKey{info.IdempotencyKey, info.Attempt}
	a := t.env.attempts[key]
	if a == nil {
		a = &attemptState{name: info.Name}
		t.env.attempts[key] = a
	}
	a.deliveries++
	t.attempt.Store(a)
	t.credit = a.passed
	return a.deliveries == 1
}

func (t *task) about() string {
	if a := t.attempt.Load(); a != nil {
		return fmt.Sprintf("activity %q", a.name)
	}
	return "orchestration code"
}
