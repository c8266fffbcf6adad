package turnstiletest

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queues"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/store"
)

// T is what the kit needs of a *testing.T.
type T interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	// Fatalf does not return.
	Fatalf(format string, args ...any)
}

// Env is an application with all that it runs on, in virtual time. It is used
// by the goroutine of its test alone, and closes itself at the end of the test.
type Env struct {
	t    T
	app  *turnstile.App
	opts options

	clock  *clock.Virtual
	store  *memorystore.Store
	stops  *memorystore.Activities
	keys   keyring.Memory
	queues *queues.Queues
	timer  *memorytimer.Timer
	// sweeper has what is stuck tried again.
	sweeper *queues.Sweeper
	client  *client.Client
	meter   bill.Meter
	metrics functionMetrics
	// ids are those that the client makes, claims those of workers.
	ids, claims counter
	mocked      map[string]mocked

	// ctx of everything that runs ends when the environment is closed.
	ctx      context.Context
	stop     context.CancelFunc
	boundary boundary
	// shuffle decides the order; nil for the order of sending.
	shuffle *rand.Rand
	// orchestrators and worker are the processes, nil until they are needed.
	orchestrators []*orchestrator.Orchestrator
	// handled counts what orchestrators were given, which take it in turn.
	handled int
	// invocations of all processes so far.
	invocations int
	worker      *worker.Worker

	// driving: messages are being handled.
	driving bool
	// paused are the batches that wait for virtual time.
	paused []*task
	// returning are batches that were received and are to be handled: those of
	// processes that died, and attempts.
	returning []*task
	attempts  map[attemptKey]*attemptState
	// happenings of which those before seen were waited for.
	happenings []happening
	seen       int
	awaited    func(happening) bool
	// failure is the first mistake that was found where no test can be failed.
	failure string
	// suspect: an instance may be stuck.
	suspect bool
	// waited: an attempt has waited for a permit of a Limit or a Rate.
	waited bool
	// read counts the events that orchestrators have read in the call under way, lastRead is the
	// instance of the last ones.
	read     int
	lastRead string
	// slow is how long the code of each activity has worked in real time, by name.
	slow map[string]time.Duration
	// again are the executions that have ended and were replayed since; nil where
	// none are.
	again map[executionKey]bool
	// timed counts functions given to After and AtTime that are still to come.
	timed  int
	closed bool
}

// New returns an environment for the application, in which nothing has begun.
// What is wrong with the application fails the test. Activities that it does
// not implement need mocks (On), so the orchestrations alone are enough:
//
//	env := turnstiletest.New(t, turnstile.NewApp(turnstile.Parts(orders.Orchestrations())))
func New(t T, app *turnstile.App, options ...Option) *Env {
	t.Helper()
	e := newEnv(t, app, options...)
	t.Cleanup(e.close)
	return e
}

func newEnv(t T, app *turnstile.App, opts ...Option) *Env {
	t.Helper()
	e := &Env{
		t: t, app: app, opts: defaults(), store: memorystore.New(),
		mocked: map[string]mocked{}, attempts: map[attemptKey]*attemptState{}, again: map[executionKey]bool{},
	}
	e.checkApp(app)
	for _, o := range opts {
		o.apply(&e.opts)
	}
	if e.opts.shuffled {
		e.shuffle = rand.New(rand.NewPCG(e.opts.seed, 0))
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.clock = clock.NewVirtual(e.opts.start)
	e.metrics = functionMetrics{e.newMetrics("orchestrator"), e.newMetrics("activity")}
	e.stops = memorystore.NewActivities(e.clock.Now)
	if err := e.wire(); err != nil {
		t.Fatalf("turnstiletest: %v", err)
	}
	return e
}

func (e *Env) wire() error {
	var err error
	if err := e.opts.checkQueues(); err != nil {
		return err
	}
	if e.queues, err = queues.New(e.clock, nil); err != nil {
		return err
	}
	if err := e.queues.Add(unserved); err != nil {
		return err
	}
	e.timer, err = memorytimer.New(memorytimer.Options{Clock: e.clock, Deliver: func(ctx context.Context, s timer.Schedule) error {
		e.meter.Fired(s)
		return e.queues.Orchestrator.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	if err != nil {
		return err
	}
	e.sweeper = queues.NewSweeper(e.clock, e.queues.Orchestrator)
	return e.connect()
}

// connect makes the client anew, with the codecs of now.
func (e *Env) connect() (err error) {
	e.client, err = client.New(client.Config{
		Store: e.store, Activities: e.stops, Queue: e.meter.Queue(e.queues.Orchestrator), Codecs: e.opts.codecs, Random: &e.ids, Clock: clientClock{e},
	})
	return err
}

// close ends what runs. Attempts that wait for virtual time see their context
// end.
func (e *Env) close() {
	if e.closed {
		return
	}
	e.closed = true
	e.boundary.close()
	e.stop()
	for len(e.paused) > 0 {
		t := e.paused[0]
		e.paused = e.paused[1:]
		if !e.resume(t) {
			e.t.Logf("turnstiletest: %s does not end although its context has; it is left behind", t.about())
		}
	}
	e.closeOrchestrators()
	e.timer.Close()
	e.sweeper.Close()
	e.queues.Close()
}

// Now returns the virtual time. It begins at 2030-01-01, or where WithStartTime says.
func (e *Env) Now() time.Time { return e.clock.Now() }

// Client returns a client, for operations that the kit does not have. The next
// Wait, Run, Advance or RunUntil handles its messages; its own Wait, and the Wait
// of its runs, let the application work too if the test calls them. Its ids are
// counted, not random. It keeps the codecs that it has when Deploy gives the
// environment others.
func (e *Env) Client() *client.Client { return e.client }

// Store returns what everything is kept in, to look at and to copy.
func (e *Env) Store() store.Store { return e.store }

// Activities returns what workers keep of running activities, to look at.
func (e *Env) Activities() store.Activities { return e.stops }

// After calls f when d of virtual time has passed from now, on the goroutine
// of the test: the place to do from outside what is to be done at that time. No
// time passes while f runs. stop keeps f from being called.
func (e *Env) After(d time.Duration, f func()) (stop func() bool) {
	e.timed++
	cancel := e.clock.AfterFunc(d, func() {
		e.timed--
		f()
	})
	return func() bool {
		stopped := cancel()
		if stopped {
			e.timed--
		}
		return stopped
	}
}

// AtTime is After for a point in virtual time; one in the past is now.
func (e *Env) AtTime(at time.Time, f func()) (stop func() bool) { return e.After(at.Sub(e.Now()), f) }

// DeadLetters returns what is in the final dead-letter queues, the oldest
// first of each: an event for an instance that never started, for example.
func (e *Env) DeadLetters() []host.DeadLetter {
	var all []host.DeadLetter
	for _, q := range []interface{ Peek() []queue.Message }{e.queues.DeadFIFO, e.queues.DeadStandard} {
		for _, m := range q.Peek() {
			all = append(all, host.DeadLetter{Body: m.Body, Reason: reasonOf(m)})
		}
	}
	return all
}
