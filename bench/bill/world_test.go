// Package bill counts what an application costs on AWS: the host in virtual time,
// on stores, queues and timers in memory that count each call as AWS charges for it
// (package bill; store/metering for DynamoDB), and that take as long as theirs do.
//
//	go -C bench test ./bill             # holds docs/performance.md against it
//	go -C bench test ./bill -update     # writes the tables there anew
//	go -C bench test ./bill -v          # prints them
package bill

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/bill"
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/keyring"
	"github.com/turnstile-go/turnstile/queue"
	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
	storememory "github.com/turnstile-go/turnstile/store/memory"
	"github.com/turnstile-go/turnstile/store/metering"
	"github.com/turnstile-go/turnstile/timer"
	timermemory "github.com/turnstile-go/turnstile/timer/memory"
	"github.com/turnstile-go/turnstile/wire"
)

// What calls take, and what an invocation takes besides.
const (
	ofSQS       = 8 * time.Millisecond
	ofDynamoDB  = 3 * time.Millisecond
	ofScheduler = 25 * time.Millisecond
	ofCode      = time.Millisecond
)

// note is a payload of 200 bytes, of which 150 look random, and differ with what it
// follows from.
func note(from ...[]byte) []byte {
	var random []byte
	for n := byte(0); len(random) < 75; n++ {
		sum := sha256.Sum256(append([]byte{n}, bytes.Join(from, nil)...))
		random = append(random, sum[:]...)
	}
	const head, tail = `{"kind":"order","state":"open","key":"`, `","n":"123"}`
	return fmt.Appendf(nil, "%s%s%s", head, hex.EncodeToString(random[:75]), tail)
}

// setting is how the functions are run.
type setting struct {
	// processes take turns at being the orchestrator; default one. cold: each
	// batch has a new one.
	processes int
	cold      bool
	// batch is how many messages an invocation has at most; default ten.
	batch int
	// work is what an attempt takes, by its number.
	work func(n int) time.Duration
}

// world is a stack.
type world struct {
	t       *testing.T
	setting setting
	meter   *bill.Meter
	// estimated is what package bill makes of the same calls of the store, without
	// the items of DynamoDB.
	estimated *bill.Meter

	store   store.Store
	stops   store.Activities
	queues  host.Queues
	fifo    *queuememory.Queue
	timers  timer.Timer
	keys    *keyring.Memory
	code    *engine.Registry
	worker  *host.Worker
	warm    []*host.Orchestrator
	batches int
	// attempts are the durations of the worker's invocations.
	attempts []time.Duration
	// attempted counts attempts.
	attempted atomic.Int64
}

func newWorld(t *testing.T, s setting, code engine.Func) *world {
	t.Helper()
	s.processes, s.batch = max(s.processes, 1), max(s.batch, 0)
	if s.batch == 0 {
		s.batch = queue.MaxReceive
	}
	w := &world{t: t, setting: s, meter: &bill.Meter{}, estimated: &bill.Meter{}, keys: &keyring.Memory{}}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	var err error
	child := func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil }
	w.code, err = engine.NewRegistry(engine.Orchestration{Name: "Main", Func: code}, engine.Orchestration{Name: "Child", Func: child})
	must(err)
	step := func(_ context.Context, in []byte) ([]byte, error) {
		if n := int(w.attempted.Add(1)); s.work != nil {
			time.Sleep(s.work(n))
		}
		return note(in), nil
	}
	activities, err := activity.NewRegistry(activity.Activity{Name: "Step", Func: step})
	must(err)
	inner := w.estimated.Store(storememory.New())
	w.store = slowStore{metering.New(inner, dynamo.Config{}, func(u dynamo.Usage) {
		w.meter.Request(bill.WriteUnits, u.WriteUnits)
		w.meter.Add(bill.ReadUnits, u.ReadUnits)
	})}
	w.stops = slowActivities{w.meter.Activities(storememory.NewActivities(time.Now))}
	make := func(name string, fifo bool, visibility time.Duration) (*queuememory.Queue, queue.Queue) {
		q, err := queuememory.New(queuememory.Options{Name: name, FIFO: fifo, Visibility: visibility, Clock: clock.Wall{}})
		must(err)
		t.Cleanup(q.Close)
		return q, slowQueue{w.meter.Queue(q)}
	}
	w.fifo, w.queues.Orchestrator = make("fifo", true, 2*time.Minute)
	_, w.queues.Delay = make("delay", false, 2*time.Minute)
	_, w.queues.Activity = make("activity", false, 16*time.Minute)
	_, w.queues.ActivityDead = make("activity-dead", false, 2*time.Minute)
	_, w.queues.DeadFIFO = make("dead-fifo", true, time.Minute)
	_, w.queues.DeadStandard = make("dead", false, time.Minute)
	timers, err := timermemory.New(timermemory.Options{Clock: clock.Wall{}, Deliver: func(ctx context.Context, s timer.Schedule) error {
		w.meter.Fired(s)
		return w.fifo.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	must(err)
	t.Cleanup(timers.Close)
	w.timers = slowTimer{w.meter.Timer(timers)}
	w.worker, err = host.NewWorker(host.WorkerConfig{Activities: activities, Stops: w.stops, Queues: w.queues})
	must(err)
	for range s.processes {
		w.warm = append(w.warm, w.process())
	}
	return w
}

// process is a new one of the orchestrator function.
func (w *world) process() *host.Orchestrator {
	// The key is read in a cold start, ahead of the first message.
	keys, err := keyring.New(keyring.Config{Keys: w.keys})
	if err != nil {
		w.t.Fatal(err)
	}
	inline, err := activity.NewRegistry(activity.Activity{Name: "Step", Func: func(_ context.Context, in []byte) ([]byte, error) { return note(in), nil }})
	if err != nil {
		w.t.Fatal(err)
	}
	o, err := host.NewOrchestrator(host.OrchestratorConfig{Orchestrations: w.code, Inline: inline, Store: w.store, Stops: w.stops, Queues: w.queues, Timer: w.timers,
		Keys: keys, Settings: host.Settings{BlockLimit: -1}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(o.Close)
	return o
}

// send is what a client sends, a message a call.
func (w *world) send(item wire.Item) {
	item.V = wire.Version
	body, err := item.Encode()
	if err == nil {
		err = w.meter.Queue(w.fifo).Send(w.t.Context(), queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) start(instance string) {
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: instance, ID: "start", Name: "Main", Input: note([]byte(instance))})
}

// run handles what comes until nothing has for as long as rest.
func (w *world) run(rest time.Duration) {
	for idle := time.Duration(0); idle <= rest; {
		if w.some() {
			idle = 0
			continue
		}
		time.Sleep(time.Second)
		idle += time.Second
	}
}

// runFor handles what comes for so long.
func (w *world) runFor(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if !w.some() {
			time.Sleep(time.Second)
		}
	}
}

// some handles a batch, if there is one.
func (w *world) some() bool {
	return w.handle(w.queues.Orchestrator, host.SourceOrchestrator) || w.handle(w.queues.Delay, host.SourceDelay) || w.handle(w.queues.Activity, host.SourceActivity)
}

// handle takes a batch, if there is one, through an invocation, as an event source
// does.
func (w *world) handle(q queue.Queue, from host.Source) bool {
	got, err := q.Receive(w.t.Context(), w.setting.batch, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(got) == 0 {
		return false
	}
	var batch []host.Delivery
	for _, m := range got {
		batch = append(batch, host.Delivery{Message: m, Source: from})
	}
	limit, log := time.Minute, bill.LogOrchestrator
	if from == host.SourceActivity {
		limit, log = 15*time.Minute, bill.LogWorker
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	began := time.Now()
	time.Sleep(ofCode)
	var failed []string
	if from == host.SourceActivity {
		failed = w.worker.Handle(ctx, batch)
		w.attempts = append(w.attempts, time.Since(began))
	} else {
		process := w.warm[w.batches%len(w.warm)]
		if w.batches++; w.setting.cold {
			process = w.process()
			defer process.Close()
		}
		failed = process.Handle(ctx, batch)
	}
	w.meter.Invoked(time.Since(began), bill.MemoryMB, log)
	w.meter.Delivered(q.FIFO(), got, len(got)-len(failed))
	inner := q.(slowQueue).Queue
	if err := queue.Settle(ctx, unmetered{inner, w.meter}, got, failed); err != nil {
		w.t.Fatal(err)
	}
	return true
}

// unmetered takes back what it counts: Lambda's deletes go in one call.
type unmetered struct {
	queue.Queue
	meter *bill.Meter
}

func (q unmetered) Delete(ctx context.Context, m queue.Message) error {
	err := q.Queue.Delete(ctx, m)
	item := bill.Standard
	if q.FIFO() {
		item = bill.FIFO
	}
	q.meter.Add(item, -1)
	return err
}

// expect fails the test unless so many instances have the status.
func (w *world) expect(instances int, want store.Status) {
	w.t.Helper()
	for n := range instances {
		r, err := w.store.(slowStore).Store.(*metering.Store).Store.Describe(w.t.Context(), instance(n))
		if err != nil || r.Status != want {
			w.t.Fatalf("instance %d is %s (%v), want %s: %v", n, r.Status, r.Problem, want, err)
		}
	}
}

func instance(n int) string { return fmt.Sprintf("instance-%03d", n) }

// The services, slow as they are.
type slowStore struct{ store.Store }

func (s slowStore) Commit(ctx context.Context, c store.Commit) error {
	time.Sleep(ofDynamoDB)
	return s.Store.Commit(ctx, c)
}

func (s slowStore) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	time.Sleep(ofDynamoDB)
	return s.Store.UpdateRecord(ctx, instance, c)
}

func (s slowStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	time.Sleep(ofDynamoDB)
	return s.Store.Describe(ctx, instance)
}

func (s slowStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	time.Sleep(ofDynamoDB)
	return s.Store.Read(ctx, instance, executionID, from)
}

type slowActivities struct{ store.Activities }

func (s slowActivities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	time.Sleep(ofDynamoDB)
	return s.Activities.State(ctx, key)
}

type slowQueue struct{ queue.Queue }

func (q slowQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	pending := make([]int, len(msgs))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		_, pending = queue.NextBatch(q.FIFO(), msgs, pending)
		time.Sleep(ofSQS)
	}
	return q.Queue.Send(ctx, msgs...)
}

func (q slowQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	time.Sleep(ofSQS)
	return q.Queue.SetVisibility(ctx, d, msgs...)
}

type slowTimer struct{ timer.Timer }

func (t slowTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	time.Sleep(ofScheduler)
	return t.Timer.Schedule(ctx, s)
}

func (t slowTimer) Cancel(ctx context.Context, name string) error {
	time.Sleep(ofScheduler)
	return t.Timer.Cancel(ctx, name)
}
