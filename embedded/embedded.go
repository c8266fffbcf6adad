package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/loglines"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
	"github.com/turnstile-go/turnstile/internal/supervised"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Runtime is an application with the engine, the store, the queues and the timers that it runs on.
// It does nothing before [Runtime.Run].
type Runtime struct {
	opts    options
	clock   clock.Clock
	virtual *virtualClock // nil in real time
	gauge   *gauge

	database     Database
	store        store.Store
	queues       *queues.Queues
	timer        *memorytimer.Timer
	sweeper      *queues.Sweeper
	orchestrator *orchestrator.Orchestrator
	workers      map[string]*worker.Worker // by the queue that they serve
	client       *client.Client
	ran          atomic.Bool
	attempts     *attempts
	logs         loglines.Kept
	keys         *keyring.Ring
	pausing      sync.Mutex // serializes pauses of activity queues
	beside       beside     // the console's server; nil without one
}

// New returns a runtime for the application. The error is that of [turnstile.App.Err], or names the
// invalid option.
func New(app *turnstile.App, opts ...Option) (*Runtime, error) {
	if app == nil {
		return nil, errors.New("embedded: the application is nil: make one with turnstile.NewApp")
	}
	if err := app.Err(); err != nil {
		return nil, fmt.Errorf("embedded: the application cannot run: %w", err)
	}
	if os.Getenv(supervised.Replay) != "" {
		return nil, errors.New("embedded: `turnstile replay` started this program to replay histories: call local.ReplayIfAsked (module sqlite) first in main, before anything else runs")
	}
	e := &Runtime{
		opts: options{
			workers: 10, grace: 5 * time.Second, stall: 10 * time.Second,
			observer: host.NoObserver{}, dead: func(host.DeadLetter) {},
		},
		gauge: newGauge(),
	}
	for _, o := range opts {
		o.apply(&e.opts)
	}
	if e.opts.settings.SendWindow == 0 {
		// A queue call in memory costs nothing, and takes less time than waiting for other
		// messages.
		e.opts.settings.SendWindow = -1
	}
	if err := e.opts.check(); err != nil {
		return nil, err
	}
	e.clock = clock.Wall{}
	if e.opts.virtual {
		e.virtual = newVirtualClock(e.opts.start, e.gauge.poke)
		e.virtual.handled = e.gauge
		if e.opts.pace > 0 {
			e.virtual.flow = &flow{stood: e.opts.start, since: time.Now()}
		}
		e.clock = e.virtual
	}
	e.database = e.opts.database
	if e.database == nil {
		e.database = newInMemory(e.clock.Now)
	}
	if err := e.database.Acquire(); err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	if err := e.wire(app); err != nil {
		return nil, errors.Join(err, e.close())
	}
	if e.opts.beside != nil {
		var err error
		if e.beside, err = e.opts.beside(e); err != nil {
			return nil, errors.Join(err, e.close())
		}
	}
	return e, nil
}

func (e *Runtime) wire(app *turnstile.App) error {
	var err error
	if e.queues, err = queues.New(e.clock, e.database.Queue); err != nil {
		return err
	}
	if err := e.openNamed(app); err != nil {
		return err
	}
	if err := e.openPauses(context.Background()); err != nil {
		return err
	}
	e.attempts = newAttempts(e.clock, e.activityQueues())
	changed := newChanges()
	e.store = watchedStore{e.database.Store(), changed}
	stops := e.database.Activities()
	e.timer, err = memorytimer.New(memorytimer.Options{Clock: e.clock, Journal: e.database.Timer(), Deliver: func(ctx context.Context, s timer.Schedule) error {
		return e.queues.Orchestrator.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	if err != nil {
		return err
	}
	forHost := e.forHost(func(q *memoryqueue.Queue, final bool) queue.Queue {
		if final {
			return watchedDeadLetters{q, e.opts.dead}
		}
		return q
	})
	// The key lives as long as the database.
	e.keys, err = keyring.New(keyring.Config{Keys: e.database.Keys(), Now: e.clock.Now})
	if err != nil {
		return err
	}
	e.sweeper = queues.NewSweeper(e.clock, e.queues.Orchestrator)
	e.orchestrator, err = orchestrator.New(orchestrator.Config{
		Orchestrations: app.Orchestrations(),
		Inline:         app.Activities(),
		Services:       orchestrator.Services{Store: e.store, Stops: stops, Queues: forHost, Timer: e.timer, Archive: e.opts.archive, Publisher: e.opts.publisher},
		Codecs:         e.opts.codecs,
		Keys:           e.keys,
		Settings:       e.opts.settings,
		Environment:    platform.Environment{Clock: e.clock, Random: rand.Reader, Observer: e.opts.observer, Logger: e.logger()},
		Build:          e.build(),
		SweepAt:        e.sweeper.At,
		Propagator:     e.opts.propagator,
	})
	if err != nil {
		return err
	}
	if err := e.newWorkers(app, stops, forHost); err != nil {
		return err
	}
	e.client, err = client.New(client.Config{
		Store: e.store, Activities: e.database.Activities(), Queue: e.outside(), Codecs: e.opts.codecs, Random: rand.Reader, Clock: e.clock, Changed: changed.wait,
		Queued: e.queued, App: app,
	})
	return err
}

// build names this process, if its instances outlive it. A stuck instance from an earlier process
// is then tried immediately, not when its next try is due, because its code may have been fixed in
// the meantime.
func (e *Runtime) build() string {
	if e.opts.database == nil {
		return ""
	}
	return "process-" + rand.Text()
}

// outside is the orchestrator queue for senders from outside.
func (e *Runtime) outside() queue.Queue {
	return flushed{e.queues.Orchestrator, e.database.Flush}
}

// close ends everything that New and Run started.
func (e *Runtime) close() error {
	if e.orchestrator != nil {
		e.orchestrator.Close()
	}
	if e.timer != nil {
		e.timer.Close()
	}
	if e.sweeper != nil {
		e.sweeper.Close()
	}
	if e.queues != nil {
		e.queues.Close()
	}
	if err := e.database.Release(); err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	return nil
}

// Client returns a client of the runtime. Messages that it sends before Run are handled by Run.
func (e *Runtime) Client() *client.Client { return e.client }

// Store returns the store of the runtime.
func (e *Runtime) Store() store.Store { return e.store }

// Now returns the time of the runtime.
func (e *Runtime) Now() time.Time { return e.clock.Now() }

// AfterFunc calls f after d in the time of the runtime. In virtual time no time passes while f
// runs, so use AfterFunc for actions from outside the application at a certain time. stop prevents
// the call.
func (e *Runtime) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return e.clock.AfterFunc(d, f)
}

// Send sends a message to the orchestrator queue, as aws sqs send-message does. It accepts any
// body; the host reports an invalid one as a dead letter.
func (e *Runtime) Send(ctx context.Context, body string) error {
	group := "unknown"
	if item, err := wire.Parse([]byte(body)); err == nil {
		group = wire.Group(item.Target())
	}
	var id [16]byte
	if _, err := rand.Reader.Read(id[:]); err != nil {
		return fmt.Errorf("embedded: making an id: %w", err)
	}
	return e.outside().Send(ctx, queue.Outgoing{Body: body, Group: group, DedupID: fmt.Sprintf("sent-%x", id)})
}

// DeadLetters returns how many messages are in the final dead-letter queues.
func (e *Runtime) DeadLetters() int {
	return e.queues.DeadFIFO.Counts().Total() + e.queues.DeadStandard.Counts().Total()
}
