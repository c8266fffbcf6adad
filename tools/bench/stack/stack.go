// Package stack is a deployed stack in the virtual time of testing/synctest: the
// host on stores, queues and timers in memory that count each call as AWS charges
// for it (package bill; internal/store/metering for DynamoDB), and that take as long as
// theirs do. One goroutine drives it, so that equal runs have equal counts; or, with
// pollers, as many as event sources have, and counts differ a little.
//
//	synctest.Test(t, func(t *testing.T) {
//		s := stack.New(t, stack.Setting{}, app.Orchestrations(), app.Activities())
//		run, err := client.Start(t.Context(), s.Client, Fulfil, order)
//		...
//		result, err := run.Wait(t.Context()) // lets the stack work
//		t.Log(s.Bill())
//	})
package stack

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// Setting is how the functions are run.
type Setting struct {
	// Processes take turns at being the orchestrator; default one. Cold: each
	// batch has a new one.
	Processes int
	Cold      bool
	// Batch is how many messages an invocation has at most; default ten.
	Batch int
	// Pollers of each queue take batches side by side, each with a process of its own,
	// as MaximumConcurrency lets them; default none: one batch after another is handled.
	// Not with Processes and Cold.
	Pollers int
	// Seed of what calls take: drawn, with the same means; default 0: each call of a kind
	// takes exactly as long.
	Seed uint64
	// SendWindow is host.Settings.SendWindow of both functions.
	SendWindow time.Duration
}

// Stack is what is deployed.
type Stack struct {
	// Meter counts what is charged; Bill returns it. Estimated is what package bill makes of the
	// same calls of the store, without the items of DynamoDB.
	Meter, Estimated *bill.Meter
	// Client of the stack. What it sends is counted; what it reads is not. Its
	// waits, and those of its runs, let the stack work.
	Client *client.Client
	// FIFO is the orchestrator queue.
	FIFO *queuememory.Queue
	// Attempts are the durations of the worker's invocations, Batches those of the
	// orchestrator's.
	Attempts, Batches []time.Duration
	// Ended is when the last invocation did.
	Ended   time.Time
	t       testing.TB
	setting Setting
	latency latencies
	mu      sync.Mutex // guards Attempts, Batches, Ended and custom
	custom  map[string]bool
	store   *storememory.Store
	metered store.Store
	stops   store.Activities
	queues  platform.Queues
	timers  timer.Timer
	keys    *keyring.Memory
	code    *engine.Registry
	inline  *activities.Registry
	workers []*workerProcess
	warm    []*process
	batches int
	// messages sent over all queues, and turns stored.
	messages, turns atomic.Int64
}

// Bill returns what was counted so far, with the metrics that the processes have not
// written yet, as if they ended now.
func (s *Stack) Bill() bill.Bill {
	for _, w := range s.workers {
		w.told.Flush()
	}
	for _, p := range s.warm {
		p.told.Flush()
	}
	return s.Meter.Bill()
}

// Messages returns how many were sent so far, over all queues.
func (s *Stack) Messages() int { return int(s.messages.Load()) }

// Turns returns how many were stored so far.
func (s *Stack) Turns() int { return int(s.turns.Load()) }

// New returns a stack that runs these orchestrations and activities, of which
// nothing has begun. The orchestrators know all the activities too, to run them
// inline.
func New(t testing.TB, setting Setting, code *engine.Registry, activities *activities.Registry) *Stack {
	t.Helper()
	setting.Processes = max(setting.Processes, setting.Pollers, 1)
	if setting.Batch <= 0 {
		setting.Batch = queue.MaxReceive
	}
	s := &Stack{
		t: t, setting: setting, Meter: &bill.Meter{}, Estimated: &bill.Meter{},
		store: storememory.New(), keys: &keyring.Memory{}, code: code, inline: activities,
		latency: latencies{seed: setting.Seed}, custom: map[string]bool{},
	}
	s.metered = slowStore{metering.New(s.Estimated.Store(s.store), dynamo.Config{}, func(u dynamo.Usage) {
		s.Meter.Request(bill.WriteUnits, u.WriteUnits)
		s.Meter.Add(bill.ReadUnits, u.ReadUnits)
	}), s}
	s.stops = slowActivities{s.Meter.Activities(storememory.NewActivities(time.Now)), s}
	make := func(name string, fifo bool, visibility time.Duration) (*queuememory.Queue, queue.Queue) {
		q, err := queuememory.New(queuememory.Options{Name: name, FIFO: fifo, Visibility: visibility, Clock: clock.Wall{}})
		s.must(err)
		t.Cleanup(q.Close)
		return q, slowQueue{s.Meter.Queue(q), s}
	}
	s.FIFO, s.queues.Orchestrator = make("fifo", true, 2*time.Minute)
	_, s.queues.Delay = make("delay", false, 2*time.Minute)
	_, s.queues.Activity = make("activity", false, 16*time.Minute)
	_, s.queues.ActivityDead = make("activity-dead", false, 2*time.Minute)
	_, s.queues.DeadFIFO = make("dead-fifo", true, time.Minute)
	_, s.queues.DeadStandard = make("dead", false, time.Minute)
	timers, err := timermemory.New(timermemory.Options{Clock: clock.Wall{}, Deliver: func(ctx context.Context, due timer.Schedule) error {
		s.Meter.Fired(due)
		s.messages.Add(1)
		return s.FIFO.Send(ctx, queue.Outgoing{Body: due.Body, Group: due.Group})
	}})
	s.must(err)
	t.Cleanup(timers.Close)
	s.timers = slowTimer{s.Meter.Timer(timers), s}
	for range max(setting.Pollers, 1) {
		s.workers = append(s.workers, s.workerProcess())
	}
	for range setting.Processes {
		s.warm = append(s.warm, s.process())
	}
	s.Client, err = client.New(client.Config{
		Store: s.store, Queue: outside{s.Meter.Queue(s.FIFO), s}, Random: rand.NewChaCha8([32]byte{}), Clock: driving{s},
	})
	s.must(err)
	return s
}

func (s *Stack) must(err error) {
	if err != nil {
		s.t.Helper()
		s.t.Fatal(err)
	}
}

// Send sends a work item as a client does, a message a call.
func (s *Stack) Send(item wire.Item) {
	s.t.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	s.must(err)
	s.must(outside{s.Meter.Queue(s.FIFO), s}.Send(s.t.Context(), queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}))
}

// Run handles what comes until nothing has for longer than rest.
func (s *Stack) Run(rest time.Duration) {
	if s.setting.Pollers > 0 {
		s.poll(rest)
		return
	}
	for idle := time.Duration(0); idle <= rest; {
		if s.Step() {
			idle = 0
			continue
		}
		time.Sleep(time.Second)
		idle += time.Second
	}
}

// RunFor handles what comes for so long.
func (s *Stack) RunFor(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if !s.Step() {
			time.Sleep(time.Second)
		}
	}
}

// Step handles a batch of each queue until one had something, and reports whether
// one had.
func (s *Stack) Step() bool {
	return s.handle(s.queues.Orchestrator, platform.SourceOrchestrator) || s.handle(s.queues.Delay, platform.SourceDelay) || s.handle(s.queues.Activity, platform.SourceActivity)
}

// handle takes a batch, if there is one, through an invocation, as an event source
// does.
func (s *Stack) handle(q queue.Queue, from platform.Source) bool {
	got, err := q.Receive(s.t.Context(), s.setting.Batch, 0)
	s.must(err)
	if len(got) == 0 {
		return false
	}
	if from == platform.SourceActivity {
		s.invoke(q, from, got, nil, s.workers[0])
		return true
	}
	p := s.warm[s.batches%len(s.warm)]
	if s.batches++; s.setting.Cold {
		p = s.process()
		defer p.Close()
	}
	s.invoke(q, from, got, p, nil)
	return true
}

// invoke is an invocation: of the process that is given.
func (s *Stack) invoke(q queue.Queue, from platform.Source, got []queue.Message, p *process, w *workerProcess) {
	var batch []platform.Delivery
	for _, m := range got {
		batch = append(batch, platform.Delivery{Message: m, Source: from})
	}
	limit := time.Minute
	if from == platform.SourceActivity {
		limit = 15 * time.Minute
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	startedAt := time.Now()
	s.latency.take(ofCode, "code", target(got[0].Body))
	var failed []string
	if w != nil {
		w.told.Start()
		failed = w.Handle(ctx, batch)
		w.told.End()
	} else {
		p.told.Start()
		p.backlog(batch, startedAt)
		failed = p.Handle(ctx, batch)
		p.told.End()
	}
	s.mu.Lock()
	s.Ended = time.Now()
	if w != nil {
		s.Attempts = append(s.Attempts, s.Ended.Sub(startedAt))
	} else {
		s.Batches = append(s.Batches, s.Ended.Sub(startedAt))
	}
	s.mu.Unlock()
	s.Meter.Invoked(time.Since(startedAt), bill.MemoryMB)
	s.Meter.Delivered(q.FIFO(), got, len(got)-len(failed))
	inner := q.(slowQueue).Queue
	s.must(queue.Settle(ctx, unmetered{inner, s.Meter}, got, failed))
}

// Describe returns the record of an instance, which nobody is charged for.
func (s *Stack) Describe(instance string) (store.Record, error) {
	return s.store.Describe(s.t.Context(), instance)
}

// driving is the clock of the stack's client, which needs it to wait until it
// looks again at an instance that has not ended: meanwhile the stack works.
type driving struct{ s *Stack }

// Now returns the virtual time.
func (driving) Now() time.Time { return time.Now() }

// AfterFunc lets the stack come to rest in place of waiting. What has not ended
// by then never does, if no timer or dead letter brings it on within an hour.
func (d driving) AfterFunc(_ time.Duration, f func()) (stop func() bool) {
	before := d.s.Meter.Bill()
	d.s.Run(0)
	if d.s.Meter.Bill() == before {
		d.s.Run(time.Hour)
	}
	if d.s.Meter.Bill() == before {
		d.s.t.Fatal("stack: what the client waits for does not end: nothing has come for an hour")
	}
	f()
	return func() bool { return false }
}
