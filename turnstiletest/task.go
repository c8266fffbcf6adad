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

// task is a batch of messages that a process handles. It runs on its own goroutine, but never at
// the same time as another task or the test: they pass control to each other.
type task struct {
	env   *Env
	from  queues.Source
	batch []queue.Message
	// invocation is its number, from 1.
	invocation int
	// again is true if the messages were delivered before; that delivery acknowledges them.
	again        bool
	orchestrator *orchestrator.Orchestrator
	failed       []string
	// dead is true if the process was killed; guarded by the boundary.
	dead bool

	// turn passes control to the test, with true when the task is done. resumed passes it back.
	turn    chan bool
	resumed chan struct{}
	waiting *waiting
	// attempt is the attempt whose code runs now; nil between attempts.
	attempt atomic.Pointer[attemptState]
	// credit is virtual time that this attempt has spent in a lost delivery. That time does not
	// pass a second time.
	credit time.Duration
	// away is the real time that other tasks have worked while this task was paused.
	away time.Duration
	// passing is true while the attempt's code is in Sleep.
	passing atomic.Bool
}

// waiting is what a paused task waits for: a point in time, or the end of its context.
type waiting struct {
	ctx    context.Context
	passed bool
}

func (w *waiting) over() bool { return w.passed || w.ctx.Err() != nil }

type taskKey struct{}

// attemptKey identifies an attempt across all its deliveries.
type attemptKey struct {
	idempotencyKey string
	attempt        int
}

// attemptState is the state of an attempt.
type attemptState struct {
	name string
	// passed is the virtual time that the code has let pass.
	passed     time.Duration
	deliveries int
}

// Limits of an invocation, as in the template.
const (
	orchestratorTime = time.Minute
	workerTime       = 15 * time.Minute
)

// deadline is a context with a deadline in virtual time.
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

// here starts the code of an attempt for the host, and waits for it, so that only one goroutine
// works at a time. The code gets its own goroutine because it may call runtime.Goexit.
func here(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// pause lets other tasks work until d has passed or ctx has ended. It returns the cause of the end
// of ctx.
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

// envClock is the clock of a process.
type envClock struct{ *clock.Virtual }

// Sleep lets other tasks work while a turn waits.
func (c envClock) Sleep(ctx context.Context, d time.Duration) error {
	if t, ok := ctx.Value(taskKey{}).(*task); ok {
		return t.pause(ctx, d)
	}
	return ctx.Err()
}

// Sleep lets d of virtual time pass in an activity that runs in an [Env], while all other work
// continues. Use it to make an activity take time in a test. If ctx ends first, Sleep returns the
// cause: a timeout, or a request to stop that a Heartbeat has noticed. To wait for the end of ctx,
// pass a long duration.
//
// For an activity that waits in production, make the wait a dependency of type
// func(context.Context, time.Duration) error, and pass Sleep in tests. An activity that only waits
// for its context to end also works, but takes five seconds of real time.
//
// Sleep returns an error outside of an Env, and if two goroutines of an attempt call it at the same
// time.
func Sleep(ctx context.Context, d time.Duration) error {
	t, ok := ctx.Value(taskKey{}).(*task)
	if !ok {
		return errors.New("turnstiletest: Sleep: the context does not belong to an activity in a turnstiletest.Env")
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if t.env.boundary.isDead(t) {
		return errKilled
	}
	if !t.passing.CompareAndSwap(false, true) {
		return errors.New("turnstiletest: Sleep: another goroutine of this attempt is already in Sleep: call it from one goroutine")
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

// begin records that the code of an attempt starts. It reports whether this is the attempt's first
// delivery.
func (t *task) begin(info activities.Info) (first bool) {
	key := attemptKey{info.IdempotencyKey, info.Number}
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
