package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/host/sweep"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// world has the in-memory queues, store and timer, in virtual time, and one orchestrator process
// and one worker process. Both processes can be killed at any of their calls.
type world struct {
	*testing.T
	clock *virtualClock
	store *storememory.Store
	stops store.Activities
	timer *timermemory.Timer

	fifo, delay, activity, activityDead, deadFIFO, deadStandard *queuememory.Queue

	settings host.Settings
	// codecs of the processes; nil for none.
	codecs         *codec.Set
	orchestrations []engine.Orchestration
	activities     []activities.Activity
	inline         []activities.Activity
	observer       *recorder
	random         *rand.ChaCha8
	// keys of the stack, and the id of the current one; empty for the first.
	keys    *keyring.Memory
	current string

	// limit is the time limit of an invocation.
	limit time.Duration
	// seed of the randomness of processes.
	orchestrator *orchestratorProcess
	worker       *workerProcess

	// beforeCommit is called before each commit of the orchestrator. If it returns an error, that
	// is the result of the commit.
	beforeCommit func(c *store.Commit) error
	afterCommit  func(c *store.Commit, err error) error
	// beforeUpdate is called before each change of a record without a commit.
	beforeUpdate func()
	beforeSend   func(queueName string, msgs []queue.Outgoing) error
	// die decides at each call whether the process dies.
	die func() (dies, after bool)
	// twice decides whether a batch is delivered a second time at once, as standard queues may do.
	twice func() bool
	// logger of the processes.
	logger *slog.Logger
	// newer makes all histories appear to be written by a newer build.
	newer bool
	// evict empties the cache after a batch if it returns true.
	evict func() bool
	// maxReceive is the maximum number of messages in one receive.
	maxReceive int
	// build is the name of the build that the processes run.
	build string
	// archive of purged instances; nil for none.
	archive store.Archive
	// swept is the time of the last sweep.
	swept time.Time
	// idle limits the virtual time that run lets pass.
	idle time.Duration
}

// newWorld returns a world whose processes are started by the first run.
func newWorld(t *testing.T, configure func(w *world)) *world {
	t.Helper()
	w := &world{T: t, clock: newVirtualClock(), store: storememory.New(), observer: newRecorder(), random: rand.NewChaCha8([32]byte{1}), keys: &keyring.Memory{},
		limit: time.Minute, maxReceive: 10, idle: 48 * time.Hour}
	w.logger = slog.New(strictHandler{t: t})
	w.settings = host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}, Turn: host.TurnSettings{BlockLimit: -1}}
	if *everyEncoded {
		w.codecs = everyCodec(t)
	}
	w.stops = storememory.NewActivities(w.clock.Now)
	w.deadFIFO = w.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	w.deadStandard = w.newQueue(queuememory.Options{Name: "dead"})
	w.fifo = w.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: 2 * time.Minute, DeadLetter: w.deadFIFO, MaxReceiveCount: 1000})
	w.delay = w.newQueue(queuememory.Options{Name: "delay", Visibility: 2 * time.Minute, DeadLetter: w.deadStandard, MaxReceiveCount: 1000})
	w.activityDead = w.newQueue(queuememory.Options{Name: "activitydead", Visibility: 2 * time.Minute, DeadLetter: w.deadStandard, MaxReceiveCount: 1000})
	w.activity = w.newQueue(queuememory.Options{Name: "activity", Visibility: 16 * time.Minute, DeadLetter: w.activityDead, MaxReceiveCount: 1000})
	tm, err := timermemory.New(timermemory.Options{Clock: w.clock, RefusePast: true, Deliver: func(ctx context.Context, s timer.Schedule) error {
		return w.fifo.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.timer = tm
	t.Cleanup(tm.Close)
	if configure != nil {
		configure(w)
	}
	t.Cleanup(func() {
		if w.orchestrator != nil {
			w.orchestrator.o.Close()
		}
	})
	return w
}

func (w *world) newQueue(o queuememory.Options) *queuememory.Queue {
	o.Clock = w.clock
	q, err := queuememory.New(o)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(q.Close)
	return q
}

// orchestration registers code under a name.
func (w *world) orchestration(name string, code engine.Func, options ...func(*engine.Orchestration)) {
	o := engine.Orchestration{Name: name, Func: code, Source: "test"}
	for _, f := range options {
		f(&o)
	}
	w.orchestrations = append(w.orchestrations, o)
}

func (w *world) activityFunc(name string, code activities.Func) {
	w.activities = append(w.activities, activities.Activity{Name: name, Func: code, Source: "test"})
}

// deploy ends the processes. The next batch starts new ones with the code that is registered at
// that time.
func (w *world) deploy(name string, code engine.Func) {
	for i := range w.orchestrations {
		if w.orchestrations[i].Name == name {
			w.orchestrations[i].Func = code
		}
	}
	w.restart()
}

// restart ends the processes without a crash.
func (w *world) restart() {
	if w.orchestrator != nil {
		w.orchestrator.o.Close()
	}
	w.orchestrator, w.worker = nil, nil
}

func (w *world) process() *orchestratorProcess {
	if w.orchestrator == nil {
		registry, err := engine.NewRegistry(w.orchestrations...)
		if err != nil {
			w.Fatal(err)
		}
		inline, err := activities.NewRegistry(w.inline...)
		if err != nil {
			w.Fatal(err)
		}
		p := &orchestratorProcess{faults: &faults{die: w.die}, w: w}
		p.cfg = Config{
			Orchestrations: registry,
			Inline:         inline,
			Services:       Services{Store: faultyStore{w.store, p}, Stops: faultyStops{w.stops, p.faults}, Queues: w.queues(p.faults), Timer: faultyTimer{w.timer, p.faults}, Archive: w.archive},
			Codecs:         w.codecs,
			Keys:           w.ring(),
			Settings:       w.settings,
			Environment:    platform.Environment{Clock: w.clock, Random: w.random, Observer: w.observer, Logger: w.logger},
			Build:          w.build,
		}
		p.begin()
		w.orchestrator = p
	}
	return w.orchestrator
}

// begin creates the orchestrator of the process.
func (p *orchestratorProcess) begin() {
	o, err := New(p.cfg)
	if err != nil {
		p.w.Fatal(err)
	}
	p.o = o
}

// change gives the running process a new configuration and an empty cache.
func (w *world) change(f func(*Config)) {
	p := w.process()
	p.o.Close()
	f(&p.cfg)
	p.begin()
}

// ring returns the keyring of a process that starts now.
func (w *world) ring() *keyring.Ring {
	w.Helper()
	r, err := keyring.New(keyring.Config{Keys: w.keys, Current: w.current, Random: rand.NewChaCha8([32]byte{7}), Now: w.clock.Now})
	if err == nil {
		err = r.Ready(context.Background())
	}
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// another returns a process with the given code and store.
func (w *world) another(code *engine.Registry, s store.Store) *Orchestrator {
	w.Helper()
	o, err := New(Config{
		Orchestrations: code,
		Services:       Services{Store: s, Stops: w.stops, Queues: w.queues(&faults{}), Timer: w.timer},
		Codecs:         w.codecs,
		Keys:           w.ring(),
		Settings:       w.settings,
		Environment:    platform.Environment{Clock: w.clock, Random: w.random, Logger: w.logger},
	})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(o.Close)
	return o
}

func (w *world) workerProcess() *workerProcess {
	if w.worker == nil {
		registry, err := activities.NewRegistry(w.activities...)
		if err != nil {
			w.Fatal(err)
		}
		p := &workerProcess{faults: &faults{die: w.die}}
		queues := w.queues(p.faults)
		queues.DeadFIFO, queues.DeadStandard = nil, nil
		p.worker, err = worker.New(worker.Config{Activities: registry, Stops: faultyStops{w.stops, p.faults}, Queues: queues, Codecs: w.codecs,
			Settings: w.settings, Environment: platform.Environment{Clock: w.clock, Random: w.random, Observer: w.observer, Logger: w.logger}})
		if err != nil {
			w.Fatal(err)
		}
		w.worker = p
	}
	return w.worker
}

func (w *world) queues(f *faults) platform.Queues {
	wrap := func(name string, q *queuememory.Queue) queue.Queue { return faultyQueue{q, f, w, name} }
	return platform.Queues{Orchestrator: wrap("fifo", w.fifo), Delay: wrap("delay", w.delay), Activity: wrap("activity", w.activity),
		ActivityDead: wrap("activitydead", w.activityDead), DeadFIFO: wrap("deadfifo", w.deadFIFO), DeadStandard: wrap("dead", w.deadStandard)}
}

type orchestratorProcess struct {
	*faults
	o *Orchestrator
	w *world
	// cfg is the configuration of the orchestrator.
	cfg Config
}

type workerProcess struct {
	*faults
	worker *worker.Worker
}

// sources returns the sources of messages, in the order in which step checks them.
func (w *world) sources() []source {
	return []source{
		{"fifo", w.fifo, platform.SourceOrchestrator}, {"delay", w.delay, platform.SourceDelay},
		{"activitydead", w.activityDead, platform.SourceActivityDead}, {"activity", w.activity, platform.SourceActivity},
	}
}

type source struct {
	name  string
	queue *queuememory.Queue
	from  platform.Source
}

// step handles one batch. It returns false if no queue has a message to receive now.
func (w *world) step() bool {
	w.Helper()
	for _, s := range w.sources() {
		batch, err := s.queue.Receive(w.Context(), w.maxReceive, 0)
		if err != nil {
			w.Fatal(err)
		}
		if len(batch) == 0 {
			continue
		}
		w.handle(s, batch)
		if w.twice != nil && w.twice() {
			w.again(s, batch)
		}
		return true
	}
	return false
}

// again delivers a batch a second time. The response is ignored, because the first delivery has
// settled the batch.
func (w *world) again(s source, batch []queue.Message) {
	deliveries := make([]platform.Delivery, len(batch))
	for i, m := range batch {
		m.Receipt = ""
		deliveries[i] = platform.Delivery{Message: m, Source: s.from}
	}
	ctx := deadline{w.Context(), w.clock.Now().Add(w.limit)}
	if s.from == platform.SourceActivity {
		if p := w.workerProcess(); p.worker.Handle(ctx, deliveries) != nil && p.isDead() {
			w.worker = nil
		}
		return
	}
	if p := w.process(); p.o.Handle(ctx, deliveries) != nil && p.isDead() {
		p.o.Close()
		w.orchestrator = nil
	}
}

// handle gives a batch to its process. The response of a killed process is ignored: its messages
// are redelivered after the visibility timeout.
func (w *world) handle(s source, batch []queue.Message) {
	deliveries := make([]platform.Delivery, len(batch))
	for i, m := range batch {
		deliveries[i] = platform.Delivery{Message: m, Source: s.from}
	}
	ctx := deadline{w.Context(), w.clock.Now().Add(w.limit)}
	var failed []string
	var dead bool
	if s.from == platform.SourceActivity {
		p := w.workerProcess()
		failed = p.worker.Handle(ctx, deliveries)
		if dead = p.isDead(); dead {
			w.worker = nil
		}
	} else {
		p := w.process()
		failed = p.o.Handle(ctx, deliveries)
		if dead = p.isDead(); dead {
			p.o.Close()
			w.orchestrator = nil
		} else if w.evict != nil && w.evict() {
			p.o.turns.cache.Clear()
		}
	}
	if failed == nil {
		w.Error("the list of failures is nil; it has to be empty")
	}
	if dead {
		return
	}
	if err := queue.Settle(w.Context(), s.queue, batch, failed); err != nil {
		w.Error(err)
	}
}

// deliver gives one message to the process, which dies after its call number killAt, or never if
// killAt is 0. It reports whether the process died.
func (w *world) deliver(id, body string, receives int, from platform.Source, killAt int) (died bool) {
	w.Helper()
	p := w.process()
	if killAt > 0 {
		p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
	}
	p.o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: id, Body: body, ReceiveCount: receives}, Source: from}})
	return w.buried(p)
}

// buried reports whether a process has died; if so, a new one replaces it.
func (w *world) buried(p *orchestratorProcess) bool {
	if !p.isDead() {
		return false
	}
	p.o.Close()
	w.orchestrator = nil
	return true
}

// run handles messages until none are left, except messages that are due later than w.idle from
// now.
func (w *world) run() {
	w.Helper()
	end := w.clock.Now().Add(w.idle)
	for n := 0; ; n++ {
		if n > 100_000 {
			w.Fatal("no end to the messages")
		}
		if w.step() {
			continue
		}
		next, ok := w.nextDue()
		if !ok || next.After(end) {
			return
		}
		w.advance(next)
	}
}

// advance lets time pass up to next, and sends a sweep if one is due by then.
func (w *world) advance(next time.Time) {
	w.Helper()
	w.clock.Advance(max(next.Sub(w.clock.Now()), 0))
	if due, ok := w.nextMark(); ok && !due.After(w.clock.Now()) {
		w.swept = w.clock.Now()
		w.send(wire.Item{Kind: wire.Sweep, ID: fmt.Sprint("sweep-", w.swept.UnixMilli())})
	}
}

// nextMark returns the time of the next sweep: when a mark is due, but at least a minute after the
// previous sweep.
func (w *world) nextMark() (next time.Time, ok bool) {
	w.Helper()
	page, err := w.store.List(w.Context(), store.ListQuery{Status: store.StatusStuck, PageSize: 1000})
	if err != nil {
		w.Fatal(err)
	}
	for i := range page.Records {
		p := page.Records[i].Problem
		at := time.UnixMilli(p.NextMS)
		if p.WokenMS > 0 {
			at = time.UnixMilli(p.WokenMS).Add(sweep.Again)
		}
		if again := w.swept.Add(time.Minute); at.Before(again) {
			at = again
		}
		if !ok || at.Before(next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// runFor lets d pass and handles the messages that arrive in that time.
func (w *world) runFor(d time.Duration) {
	w.Helper()
	end := w.clock.Now().Add(d)
	idle := w.idle
	w.idle = d
	w.run()
	w.idle = idle
	w.clock.Advance(max(end.Sub(w.clock.Now()), 0))
}

func (w *world) nextDue() (time.Time, bool) {
	var next time.Time
	found := false
	look := func(due time.Time, ok bool) {
		if ok && (!found || due.Before(next)) {
			next, found = due, true
		}
	}
	for _, s := range w.sources() {
		look(s.queue.NextDue())
	}
	look(w.timer.NextDue())
	look(w.nextMark())
	return next, found
}

// send sends an item to the orchestrator queue as a client would.
func (w *world) send(item wire.Item) {
	w.Helper()
	for _, item := range asSent(item) {
		if err := w.fifo.Send(w.Context(), queue.Outgoing{Body: w.body(item), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}); err != nil {
			w.Fatal(err)
		}
	}
}

// sendStandard sends an item to the delay queue, as a sender that cannot set a group does.
func (w *world) sendStandard(item wire.Item) {
	w.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		w.Fatal(err)
	}
	if err := w.delay.Send(w.Context(), queue.Outgoing{Body: string(body)}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) start(instance, name, input string) {
	w.Helper()
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: name, Input: []byte(input), ID: "start-" + instance})
}

func (w *world) raise(instance, name, data, id string) {
	w.Helper()
	w.send(wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: name, Data: []byte(data), ID: id})
}

// turns reads the turns of an execution.
func (w *world) turns(instance string, execution int64) []store.Turn {
	w.Helper()
	turns, err := w.store.Read(context.Background(), instance, execution, 1)
	if err != nil {
		w.Fatal(err)
	}
	if err := w.codecs.DecodeTurns(turns); err != nil {
		w.Fatal(err)
	}
	return turns
}

func (w *world) events(instance string, execution int64) []history.Event {
	w.Helper()
	return reading.EventsOf(w.turns(instance, execution))
}

// record returns the record of an instance; the zero record if there is none.
func (w *world) record(instance string) store.Record {
	w.Helper()
	r, err := w.store.Describe(context.Background(), instance)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		w.Fatal(err)
	}
	if err := w.codecs.DecodeRecord(&r); err != nil {
		w.Fatal(err)
	}
	return r
}

// expectHistory compares an execution with the short form of its events:
// "Started Act(A) Done←2 Completed".
func (w *world) expectHistory(instance string, execution int64, want string) {
	w.Helper()
	if got := short(w.events(instance, execution)); got != want {
		w.Errorf("history of %s execution %d:\n got %s\nwant %s", instance, execution, got, want)
	}
}

func (w *world) expectStatus(instance string, want store.Status) {
	w.Helper()
	if r := w.record(instance); r.Status != want {
		w.Errorf("instance %s is %q (problem %+v, failure %+v), want %q", instance, r.Status, r.Problem, r.Failure, want)
	}
}

func (w *world) expectOutput(instance, want string) {
	w.Helper()
	r := w.record(instance)
	if r.Status != store.StatusCompleted || string(r.Output) != want {
		w.Errorf("instance %s is %q with output %s (problem %+v, failure %+v), want it completed with %s", instance, r.Status, r.Output, r.Problem, r.Failure, want)
	}
}

// expectDead compares the reasons of the dead letters of both queues.
func (w *world) expectDead(reasons ...string) {
	w.Helper()
	var got []string
	for _, q := range []*queuememory.Queue{w.deadFIFO, w.deadStandard} {
		for _, m := range q.Peek() {
			word, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
			got = append(got, word)
		}
	}
	if !slices.Equal(got, reasons) {
		w.Errorf("dead letters %q, want %q", got, reasons)
	}
}

// expectQuiet checks that no message and no schedule is left.
func (w *world) expectQuiet() {
	w.Helper()
	for _, s := range w.sources() {
		if c := s.queue.Counts(); c.Total() != 0 {
			w.Errorf("queue %s still holds %+v: %v", s.name, c, bodies(s.queue.Peek()))
		}
	}
	if p := w.timer.Pending(); len(p) > 0 {
		w.Errorf("schedules left: %v", p)
	}
}

func bodies(ms []queue.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Body)
	}
	return out
}

// short returns a history in the short form of the scenarios.
func short(events []history.Event) string {
	var b strings.Builder
	for i := range events {
		e := &events[i]
		if i > 0 {
			b.WriteByte(' ')
		}
		switch e.Kind {
		case history.OrchestrationStarted:
			b.WriteString("Started")
		case history.ActivityScheduled:
			fmt.Fprintf(&b, "Act(%s)", e.Name)
		case history.TimerCreated:
			b.WriteString("Timer")
		case history.ExternalSubscribed:
			fmt.Fprintf(&b, "Sub(%s)", e.Name)
		case history.ExternalEvent:
			fmt.Fprintf(&b, "Ev(%s)", e.Name)
		case history.SubOrchestrationScheduled:
			fmt.Fprintf(&b, "Child(%s)", e.Name)
		case history.OrchestrationChained:
			fmt.Fprintf(&b, "Chained(%s)", e.Name)
		case history.ActivityCompleted, history.SubOrchestrationCompleted:
			fmt.Fprintf(&b, "Done←%d", e.SourceEventID)
		case history.ActivityFailed, history.SubOrchestrationFailed:
			fmt.Fprintf(&b, "Failed(%s)←%d", e.Failure.Kind, e.SourceEventID)
		case history.TimerFired:
			fmt.Fprintf(&b, "Fired←%d", e.SourceEventID)
		case history.OrchestrationCompleted:
			b.WriteString("Completed")
		case history.OrchestrationFailed:
			fmt.Fprintf(&b, "Failed(%s)", e.Failure.Kind)
		case history.OrchestrationContinuedAsNew:
			b.WriteString("ContinuedAsNew")
		case history.OrchestrationCancelRequested:
			b.WriteString("CancelRequested")
		case history.OrchestrationRedriven:
			b.WriteString("Redriven")
		default:
			b.WriteString(e.Kind.String())
		}
	}
	return b.String()
}

// recorder counts the calls of the host's observer.
type recorder struct {
	host.NoObserver
	mu        sync.Mutex
	counts    map[string]int
	committed []host.Committed
	problems  []host.ProblemChange
}

func newRecorder() *recorder { return &recorder{counts: map[string]int{}} }

func (r *recorder) Count(c host.Counter, reason string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[string(c)+" "+reason] += n
}

func (r *recorder) Committed(c host.Committed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.committed = append(r.committed, c)
}

func (r *recorder) ProblemChanged(c host.ProblemChange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, c)
}

func (w *world) expectCount(c host.Counter, reason string, want int) {
	w.Helper()
	w.observer.mu.Lock()
	defer w.observer.mu.Unlock()
	if got := w.observer.counts[string(c)+" "+reason]; got != want {
		w.Errorf("counted %s %s %d times, want %d (all: %v)", c, reason, got, want, w.observer.counts)
	}
}
