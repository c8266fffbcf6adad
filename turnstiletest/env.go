package turnstiletest

import (
	"context"
	"encoding/json"
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
	"github.com/turnstile-go/turnstile/internal/querying"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queues"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/store"
)

// T is the part of *testing.T that the package needs.
type T interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	// Fatalf does not return.
	Fatalf(format string, args ...any)
}

// Env runs an application in virtual time, with its store, queues and timers. Use it only from the
// goroutine of its test. It closes itself at the end of the test.
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
	// sweeper wakes stuck instances.
	sweeper *queues.Sweeper
	client  *client.Client
	meter   bill.Meter
	metrics functionMetrics
	// ids is the source of the client's ids, and claims the source of the workers' claim tokens.
	ids, claims counter
	mocked      map[string]mocked

	// ctx is the parent context of all work; it ends when the environment is closed.
	ctx      context.Context
	stop     context.CancelFunc
	boundary boundary
	// shuffle decides the order; nil for the order of arrival.
	shuffle *rand.Rand
	// orchestrators and worker are the processes, nil until they are needed.
	orchestrators []*orchestrator.Orchestrator
	// handled counts the batches of orchestrators, which take them in turn.
	handled int
	// invocations is the number of invocations of all processes so far.
	invocations int
	worker      *worker.Worker

	// driving is true while messages are handled.
	driving bool
	// paused are the batches that wait for virtual time.
	paused []*task
	// returning are received batches that are still to be handled: those of processes that died,
	// and attempts.
	returning []*task
	attempts  map[attemptKey]*attemptState
	// happenings are the events that a test can wait for. A test has already waited for those with
	// an index below seen.
	happenings []happening
	seen       int
	awaited    func(happening) bool
	// failure is the first mistake that was found on a goroutine that cannot fail the test.
	failure string
	// suspect is true if an instance may be stuck.
	suspect bool
	// waited is true if an attempt has waited for a permit of a Limit or a Rate.
	waited bool
	// read counts the events that orchestrators have read in the current call. lastRead is the
	// instance of the last read.
	read     int
	lastRead string
	// slow is the real time that the code of each activity has taken, by name.
	slow map[string]time.Duration
	// again are the ended executions that were replayed after their end; nil to replay none.
	again map[executionKey]bool
	// timed counts the functions given to After and AtTime that were not called yet.
	timed  int
	closed bool
}

// New returns an environment for the application. No instance has been started in it. A problem of
// the application fails the test. Activities that the application does not implement need mocks
// ([On]), so an application with only the orchestrations is enough:
//
//	env := turnstiletest.New(t, turnstile.NewApp(turnstile.Components(orders.Orchestrations())))
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

// connect makes a new client with the current codecs.
func (e *Env) connect() (err error) {
	e.client, err = client.New(client.Config{
		Store: e.store, Activities: e.stops, Queue: e.meter.Queue(e.queues.Orchestrator), Codecs: e.opts.codecs, Random: &e.ids, Clock: clientClock{e},
		Queries: querier{e},
	})
	return err
}

// querier answers queries with the code that is deployed. It fails a handler that changes variables.
type querier struct{ env *Env }

func (q querier) Query(ctx context.Context, r client.QueryRequest) (client.QueryAnswer[json.RawMessage], error) {
	e := q.env
	c, err := client.New(client.Config{Store: e.store, Queue: e.queues.Orchestrator, Codecs: e.opts.codecs, Clock: clientClock{e}, App: e.app})
	if err != nil {
		return client.QueryAnswer[json.RawMessage]{}, err
	}
	return c.Query(querying.Twice(ctx), r)
}

// close ends the environment. The context of attempts that wait for virtual time ends.
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
			e.t.Logf("turnstiletest: %s keeps running although its context has ended; its goroutine leaks", t.about())
		}
	}
	e.closeOrchestrators()
	e.timer.Close()
	e.sweeper.Close()
	e.queues.Close()
}

// Now returns the virtual time. It starts at 2030-01-01, or at the time of [WithStartTime].
func (e *Env) Now() time.Time { return e.clock.Now() }

// Client returns a client, for operations that this package does not have. The next Wait, Run,
// Advance or RunUntil handles its messages. Calling Wait of the client or of its runs also lets the
// application work. Its ids are counted, not random. After Deploy, it keeps its previous codecs.
func (e *Env) Client() *client.Client { return e.client }

// Store returns the store of the environment, for reading and copying.
func (e *Env) Store() store.Store { return e.store }

// Activities returns the workers' store of running activities, for reading.
func (e *Env) Activities() store.Activities { return e.stops }

// After calls f after d of virtual time, on the goroutine of the test. Use it for actions that come
// from outside the application at that time. No time passes while f runs. stop prevents the call.
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

// AtTime is [Env.After] for a point in virtual time. If the time has passed, f is called
// immediately.
func (e *Env) AtTime(at time.Time, f func()) (stop func() bool) { return e.After(at.Sub(e.Now()), f) }

// DeadLetters returns the messages in the final dead-letter queues, oldest first within each queue:
// for example an event for an instance that never started.
func (e *Env) DeadLetters() []host.DeadLetter {
	var all []host.DeadLetter
	for _, q := range []interface{ Peek() []queue.Message }{e.queues.DeadFIFO, e.queues.DeadStandard} {
		for _, m := range q.Peek() {
			all = append(all, host.DeadLetter{Body: m.Body, Reason: reasonOf(m)})
		}
	}
	return all
}
