// Package retention purges many finished instances, with an archive, on a real store, while
// others run and processes die.
//
//	go -C tools/bench test ./retention -v                                      # 400 instances, on SQLite and on DynamoDB Local
//	go -C tools/bench test ./retention -v -run SQLite -instances 100000 -timeout 30m
//	go -C tools/bench test ./retention -v -run DynamoDB -instances 5000        # TURNSTILE_DYNAMODB_ENDPOINT
package retention

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
	"github.com/turnstile-go/turnstile/tools/bench/dynamolocal"
)

var instances = flag.Int("instances", 400, "how many instances have ended")

const (
	// kills is how often a process dies in the middle.
	kills = 20
	// runners is how many instances run meanwhile. Each gets an event every ten seconds.
	runners = 20
	// putPrice is what a million objects put to S3 cost in dollars.
	putPrice = 5
)

func TestRetentionOnSQLite(t *testing.T) {
	db, err := sqlite.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	purge(t, db.Store(), db.Activities(), &bill.Meter{})
}

func TestRetentionOnDynamoDB(t *testing.T) {
	client, config := dynamolocal.Tables(t, "retention")
	meter := &bill.Meter{}
	config.Meter = func(u dynamo.Usage) {
		meter.Request(bill.WriteUnits, u.WriteUnits)
		meter.Add(bill.ReadUnits, u.ReadUnits)
	}
	purge(t, dynamo.New(client, config), dynamo.NewActivities(client, config), meter)
}

// world is a stack in virtual time, driven by one goroutine, whose process dies.
type world struct {
	t       *testing.T
	clock   *clock.Virtual
	store   store.Store
	stops   store.Activities
	archive folder
	meter   *bill.Meter
	queues  platform.Queues
	timers  *timermemory.Timer
	keys    keyring.Memory
	process *process
	random  *mathrand.Rand
	// killing is in how many calls of the next process, at most, it dies; 0 for never.
	killing, killed int
	told            told
	puts            atomic.Int64
}

// told is what was delivered.
type told struct {
	running, purging int
	// waited is the longest that a message for a running instance waited for its turn, and
	// total the sum.
	waited, total time.Duration
}

func (t *told) String() string {
	return fmt.Sprintf("%d messages for running instances waited %s at most, %s on average", t.running, t.waited, (t.total / time.Duration(max(t.running, 1))).Round(time.Microsecond))
}

var errDied = errors.New("the process has died")

// process is one of the orchestrator function. Once it has died each call fails.
type process struct {
	*orchestrator.Orchestrator
	mu    sync.Mutex
	calls int
	// dieAt is the call at which it dies, before it takes effect or after; 0 for none.
	dieAt int
	after bool
	died  bool
}

func (p *process) hasDied() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.died
}

func (p *process) call(f func() error) error {
	p.mu.Lock()
	if p.died {
		p.mu.Unlock()
		return errDied
	}
	p.calls++
	dies := p.calls == p.dieAt
	p.died = dies
	p.mu.Unlock()
	if dies && !p.after {
		return errDied
	}
	err := f()
	if dies {
		return errDied
	}
	return err
}

// folder is the archive, which says what it has.
type folder struct {
	store.Archive
	dir string
}

func (f folder) has(instance string) bool {
	_, err := os.Stat(filepath.Join(f.dir, instance, "1.json"))
	return err == nil
}

type killedArchive struct {
	w *world
	p *process
}

func (a killedArchive) Keep(ctx context.Context, instance string, n int64, document []byte) error {
	return a.p.call(func() error {
		a.w.puts.Add(1)
		return a.w.archive.Keep(ctx, instance, n, document)
	})
}

type killedStore struct {
	store.Store
	w *world
	p *process
}

func (s killedStore) Commit(ctx context.Context, c store.Commit) error {
	return s.p.call(func() error { return s.Store.Commit(ctx, c) })
}

func (s killedStore) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	return s.p.call(func() error { return s.Store.UpdateRecord(ctx, instance, c) })
}

// Hide is what purges: never ahead of the archive.
func (s killedStore) Hide(ctx context.Context, instance string, n int64, free time.Time) error {
	return s.p.call(func() error {
		if !s.w.archive.has(instance) {
			s.w.t.Errorf("%s is purged, and the archive does not have it", instance)
		}
		return s.Store.Hide(ctx, instance, n, free)
	})
}

func (s killedStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = s.p.call(func() error {
		if !s.w.archive.has(instance) {
			s.w.t.Errorf("%s is deleted, and the archive does not have it", instance)
		}
		done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit)
		return err
	})
	return done && err == nil, err
}

func (s killedStore) PutAnswer(ctx context.Context, a store.Answer) error {
	return s.p.call(func() error { return s.Store.PutAnswer(ctx, a) })
}

func (s killedStore) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	err = s.p.call(func() error {
		done, err = s.Store.DeleteAnswers(ctx, instance, limit)
		return err
	})
	return done && err == nil, err
}

func (s killedStore) List(ctx context.Context, q store.ListQuery) (page store.ListPage, err error) {
	err = s.p.call(func() error {
		page, err = s.Store.List(ctx, q)
		return err
	})
	return page, err
}

type killedQueue struct {
	queue.Queue
	p *process
}

func (q killedQueue) Send(ctx context.Context, messages ...queue.Outgoing) error {
	return q.p.call(func() error { return q.Queue.Send(ctx, messages...) })
}

type killedTimer struct {
	timer.Timer
	p *process
}

func (k killedTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	return k.p.call(func() error { return k.Timer.Schedule(ctx, s) })
}

// start has a new process take over.
func (w *world) start() {
	p := &process{}
	w.process = p
	if w.killing > 0 && w.killed < kills {
		p.dieAt, p.after = 1+w.random.IntN(w.killing), w.random.IntN(2) == 0
	}
	queues := w.queues
	queues.Orchestrator, queues.Delay = killedQueue{w.meter.Queue(queues.Orchestrator), p}, killedQueue{w.meter.Queue(queues.Delay), p}
	code, err := engine.NewRegistry(engine.Orchestration{Name: "Runs", Func: func(c *engine.Context, in []byte) ([]byte, error) {
		for {
			if _, err := c.Await(c.ExternalEvent("e")); err != nil {
				return nil, err
			}
			if c.Info().HistoryLength > 60 {
				return nil, c.ContinueAsNew("", in, nil)
			}
		}
	}})
	w.must(err)
	keys, err := keyring.New(keyring.Config{Keys: &w.keys})
	w.must(err)
	p.Orchestrator, err = orchestrator.New(orchestrator.Config{
		Orchestrations: code,
		Services: orchestrator.Services{Store: killedStore{w.store, w, p}, Stops: w.stops, Queues: queues, Timer: killedTimer{w.meter.Timer(w.timers), p},
			Archive: killedArchive{w, p}},
		Keys:        keys,
		Settings:    host.Settings{Purge: host.PurgeSettings{Retention: 24 * time.Hour}},
		Environment: platform.Environment{Clock: w.clock, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler)},
	})
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) send(item wire.Item) {
	item.V, item.SentMS = wire.Version, w.clock.Now().UnixMilli()
	body, err := item.Encode()
	w.must(err)
	w.must(w.queues.Orchestrator.Send(w.t.Context(), queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}))
}

// step handles a batch, and reports whether there was one. Each takes ten milliseconds.
func (w *world) step() bool {
	for _, from := range []platform.Source{platform.SourceOrchestrator, platform.SourceDelay} {
		q := w.queues.Orchestrator
		if from == platform.SourceDelay {
			q = w.queues.Delay
		}
		got, err := q.Receive(w.t.Context(), queue.MaxReceive, 0)
		w.must(err)
		if len(got) == 0 {
			continue
		}
		var batch []platform.Delivery
		for _, m := range got {
			batch = append(batch, platform.Delivery{Message: m, Source: from})
			item, err := wire.ParseText(m.Body)
			w.must(err)
			switch item.Kind {
			case wire.PurgeInstance, wire.Sweep:
				w.told.purging++
			default:
				waited := w.clock.Now().Sub(m.SentAt)
				w.told.running++
				w.told.total += waited
				w.told.waited = max(w.told.waited, waited)
			}
		}
		ctx, cancel := context.WithDeadline(w.t.Context(), w.clock.Now().Add(time.Minute))
		failed := w.process.Handle(ctx, batch)
		cancel()
		w.clock.Advance(10 * time.Millisecond)
		if w.process.hasDied() {
			w.killed++
			w.process.Close()
			w.start() // Its messages come back when their visibility timeout is over.
			return true
		}
		w.meter.Delivered(q.FIFO(), got, len(got)-len(failed))
		w.must(queue.Settle(w.t.Context(), q, got, failed))
		return true
	}
	return false
}

// seed ends an instance of two turns.
func (w *world) seed(n int) (first, last store.Turn) {
	id, at := instance(n), w.clock.Now().UnixMilli()
	first = store.Turn{Instance: id, ExecutionID: 1, Token: "a", Events: []history.Event{
		{EventID: 1, AtMS: at, Kind: history.OrchestrationStarted, Name: "Ended", Payload: note(n), Start: &history.Start{StartID: "s"}},
		{EventID: 2, AtMS: at, Kind: history.ActivityScheduled, Name: "Step", Payload: note(n + 1)},
	}}
	last = store.Turn{Instance: id, ExecutionID: 1, Token: "b", Events: []history.Event{
		{EventID: 3, AtMS: at, Kind: history.ActivityCompleted, SourceEventID: 2, Payload: note(n + 2)},
		{EventID: 4, AtMS: at, Kind: history.OrchestrationCompleted, Payload: note(n)},
	}}
	return first, last
}

func (w *world) write(n int) error {
	first, last := w.seed(n)
	now, ended, output := w.clock.Now(), store.StatusCompleted, note(n)
	record := store.Record{Instance: first.Instance, ExecutionID: 1, FirstExecution: 1, StartID: "s", Name: "Ended", Status: store.StatusRunning, CreatedAt: now, UpdatedAt: now}
	err := w.store.Commit(w.t.Context(), store.Commit{Turns: []store.Turn{first},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &record, UpdatedAt: now}})
	if err != nil {
		return err
	}
	return w.store.Commit(w.t.Context(), store.Commit{Turns: []store.Turn{last},
		Record: &store.RecordChange{If: store.RecordCondition{Exists: true}, Status: &ended, EndedAt: &now, Output: &output, UpdatedAt: now}})
}

func note(n int) []byte { return fmt.Appendf(nil, `{"order":%d,"note":"%0150d"}`, n, n) }

func instance(n int) string { return fmt.Sprintf("ended-%06d", n) }

// purge has retention purge all that has ended, while others run: one half while processes die,
// and the other, which ended a day later, while none does.
func purge(t *testing.T, s store.Store, stops store.Activities, meter *bill.Meter) {
	w := &world{t: t, clock: clock.NewVirtual(time.Date(2030, 1, 1, 0, 1, 0, 0, time.UTC)), store: s, stops: stops, meter: meter,
		random: mathrand.New(mathrand.NewPCG(28, uint64(*instances)))}
	w.archive.dir = t.TempDir()
	var err error
	w.archive.Archive, err = embedded.ArchiveFolder(w.archive.dir)
	w.must(err)
	w.deploy()
	w.start()
	t.Cleanup(func() { w.process.Close() })
	half, startedAt := *instances/2, time.Now()
	w.together(0, half, w.write)
	w.clock.Advance(24 * time.Hour)
	w.together(half, *instances, w.write)
	t.Logf("%d instances written in %s", *instances, time.Since(startedAt).Round(time.Millisecond))
	for n := range runners {
		w.send(wire.Item{Kind: wire.StartOrchestration, Instance: fmt.Sprint("runs-", n), Name: "Runs", ID: "s"})
	}
	for w.step() {
	}
	before := meter.Bill()
	w.minute()
	alone, perMinute := w.told, meter.Bill().Minus(before)
	t.Logf("running instances alone: %s", &alone)
	// They die so early that the last one is not the last.
	w.killing = max(2, half/6)
	w.start()
	for range 2 {
		w.told, before, startedAt = told{}, meter.Bill(), time.Now()
		w.puts.Store(0)
		minutes, end := 0, w.clock.Now()
		for hour := 0; w.left(end) > 0 || minutes == 0; hour++ {
			if hour > 24 {
				t.Fatalf("%d instances are left after %d hours", w.left(end), hour)
			}
			w.clock.Advance(w.clock.Now().Truncate(time.Hour).Add(time.Hour + time.Minute).Sub(w.clock.Now()))
			w.send(wire.Item{Kind: wire.Sweep, ID: fmt.Sprint("sweep-", w.clock.Now().Unix())})
			for range 5 + half/5000 {
				minutes++
				w.minute()
			}
		}
		t.Logf("%d instances purged in %s of a real clock and %d minutes of the virtual one; %d processes died in the middle, %d objects were put",
			half, time.Since(startedAt).Round(time.Millisecond), minutes, w.killed, w.puts.Load())
		said := w.told.String()
		if w.killing > 0 {
			// What a dead process had in hand waits for its visibility timeout.
			said = fmt.Sprintf("%d messages for running instances", w.told.running)
		}
		t.Logf("%s; %d of the retention, %.0f %% of all", said, w.told.purging, 100*float64(w.told.purging)/float64(w.told.purging+w.told.running))
		cost := meter.Bill().Minus(before)
		own := cost.Dollars() - float64(minutes)*perMinute.Dollars()
		t.Logf("without those that run $%.2f a million instances, and $%.2f for the objects; with them\n%s", own/float64(half)*1e6, putPrice*float64(w.puts.Load())/float64(half), cost)
		if w.killed != kills {
			t.Errorf("%d processes have died, want %d", w.killed, kills)
		}
		if w.killing == 0 && w.told.waited > 10*alone.waited {
			t.Errorf("a running instance has waited for %s, %s at most without the retention", w.told.waited, alone.waited)
		}
		w.killing = 0
		w.clock.Advance(24 * time.Hour)
	}
	w.together(0, *instances, w.expectPurged)
	for _, q := range []queue.Queue{w.queues.DeadFIFO, w.queues.DeadStandard} {
		if dead, err := q.Receive(t.Context(), 1, 0); len(dead) > 0 || err != nil {
			t.Errorf("dead letters: %v, %v", dead, err)
		}
	}
	for n := range runners {
		r, err := s.Describe(t.Context(), fmt.Sprint("runs-", n))
		if err != nil || r.Status != store.StatusRunning {
			t.Errorf("instance %d that runs is %s: %v", n, r.Status, err)
		}
	}
}

// minute raises an event for each instance that runs every ten seconds, for a minute.
func (w *world) minute() {
	for range 6 {
		for r := range runners {
			w.send(wire.Item{Kind: wire.ExternalRaised, Instance: fmt.Sprint("runs-", r), Name: "e", ID: fmt.Sprint("e-", w.clock.Now().UnixNano())})
		}
		for end := w.clock.Now().Add(10 * time.Second); w.clock.Now().Before(end); {
			if !w.step() {
				w.clock.Advance(100 * time.Millisecond)
			}
		}
	}
}

// left is how many instances are left, up to a page, that began before a time.
func (w *world) left(before time.Time) int {
	page, err := w.store.List(w.t.Context(), store.ListQuery{Status: store.StatusCompleted, To: before.Add(-24 * time.Hour), PageSize: 100})
	w.must(err)
	return len(page.Records)
}

// expectPurged checks that of an instance the archive has the history, and the store nothing.
func (w *world) expectPurged(n int) error {
	id := instance(n)
	r, err := w.store.Describe(w.t.Context(), id)
	if err != nil || !r.Purged {
		return fmt.Errorf("%s is not purged: %w", id, err)
	}
	if turns, err := w.store.Read(w.t.Context(), id, 1, 1); len(turns) > 0 || err != nil {
		return fmt.Errorf("%s has %d turns: %w", id, len(turns), err)
	}
	document, err := os.ReadFile(filepath.Join(w.archive.dir, id, "1.json"))
	if err != nil {
		return err
	}
	x, err := history.DecodeExport(document)
	if err != nil {
		return err
	}
	first, last := w.seed(n)
	want := append(first.Events, last.Events...)
	if len(x.Events) != len(want) {
		return fmt.Errorf("of %s the archive has %d events, want %d", id, len(x.Events), len(want))
	}
	for i := range want {
		if got := &x.Events[i]; got.Kind != want[i].Kind || got.EventID != want[i].EventID || !bytes.Equal(got.Payload, want[i].Payload) {
			return fmt.Errorf("of %s the archive has %+v, want %+v", id, got, want[i])
		}
	}
	return nil
}

// together does something for instances, some side by side.
func (w *world) together(from, to int, f func(n int) error) {
	var group sync.WaitGroup
	next := make(chan int)
	errs := make(chan error, 16)
	for range cap(errs) {
		group.Go(func() {
			var failed error
			for i := range next {
				if failed == nil {
					failed = f(i)
				}
			}
			errs <- failed
		})
	}
	for i := from; i < to; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	close(errs)
	for err := range errs {
		w.must(err)
	}
}

// deploy makes queues and timers.
func (w *world) deploy() {
	make := func(name string, fifo bool) *queuememory.Queue {
		q, err := queuememory.New(queuememory.Options{Name: name, FIFO: fifo, Visibility: 2 * time.Minute, Clock: w.clock})
		w.must(err)
		w.t.Cleanup(q.Close)
		return q
	}
	w.queues = platform.Queues{Orchestrator: make("fifo", true), Delay: make("delay", false), Activity: make("activity", false),
		ActivityDead: make("activity-dead", false), DeadFIFO: make("dead-fifo", true), DeadStandard: make("dead", false)}
	var err error
	w.timers, err = timermemory.New(timermemory.Options{Clock: w.clock, Deliver: func(ctx context.Context, due timer.Schedule) error {
		w.meter.Fired(due)
		return w.queues.Orchestrator.Send(ctx, queue.Outgoing{Body: due.Body, Group: due.Group})
	}})
	w.must(err)
	w.t.Cleanup(w.timers.Close)
}
