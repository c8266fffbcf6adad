package orchestrator

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// slowCloud is the environment of an orchestrator, in which each call takes some time. Time is the
// virtual time of a synctest bubble. An invocation ends at its deadline; anything that its process
// does after that has no effect.
type slowCloud struct {
	keys keyring.Memory
	*testing.T
	latency  time.Duration // of each call
	limit    time.Duration // of an invocation
	settings host.Settings
	code     engine.Func
	// perSecond is the number of schedules that can be created and removed per second without
	// throttling; 0 for any number.
	perSecond int
	// refuses returns the error of a timer service call; if it is nil, each call succeeds.
	refuses func(context.Context) error
	logged  bytes.Buffer
	// kill is the number of the created schedule at which the process dies once.
	kill int

	store                                 *storememory.Store
	stops                                 *storememory.Activities
	timer                                 *timermemory.Timer
	fifo, delay, activity, deadFIFO, dead *queuememory.Queue

	mu       sync.Mutex
	calls    map[string]int
	sent     map[string]int // the number of times that each body was sent
	second   int64
	taken    int
	inFlight int
	most     int
	died     bool

	invocations, killed int
	longest             time.Duration
}

// call takes some time. It has an effect only if the process is still alive.
func (c *slowCloud) call(ctx context.Context, name string, effect func() error) error {
	c.mu.Lock()
	c.calls[name]++
	c.inFlight++
	c.most = max(c.most, c.inFlight)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.inFlight--
		c.mu.Unlock()
	}()
	select {
	case <-time.After(c.latency):
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	dead := c.died
	c.mu.Unlock()
	if dead {
		return errKilled
	}
	return effect()
}

type slowStore struct {
	store.Store
	c *slowCloud
}

func (s slowStore) Commit(ctx context.Context, commit store.Commit) error {
	return s.c.call(ctx, "Commit", func() error { return s.Store.Commit(ctx, commit) })
}

func (s slowStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	return s.c.call(ctx, "UpdateRecord", func() error { return s.Store.UpdateRecord(ctx, instance, change) })
}

func (s slowStore) PutAnswer(ctx context.Context, a store.Answer) error {
	return s.c.call(ctx, "PutAnswer", func() error { return s.Store.PutAnswer(ctx, a) })
}

func (s slowStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	err = s.c.call(ctx, "Describe", func() error {
		r, err = s.Store.Describe(ctx, instance)
		return err
	})
	return r, err
}

func (s slowStore) Read(ctx context.Context, instance string, execution, from int64) (turns []store.Turn, err error) {
	err = s.c.call(ctx, "Read", func() error {
		turns, err = s.Store.Read(ctx, instance, execution, from)
		return err
	})
	return turns, err
}

type slowStops struct {
	store.Activities
	c *slowCloud
}

func (s slowStops) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	return s.c.call(ctx, "RequestStop", func() error { return s.Activities.RequestStop(ctx, key, reason, expiresAt) })
}

type slowQueue struct {
	*queuememory.Queue
	c    *slowCloud
	name string
}

// Send takes some time for each batch, as SQS does.
func (q slowQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	pending := make([]int, len(msgs))
	for i := range msgs {
		pending[i] = i
	}
	for len(pending) > 0 {
		var batch []int
		batch, pending = queue.NextBatch(q.FIFO(), msgs, pending)
		if err := q.c.call(ctx, "Send "+q.name, func() error {
			for _, i := range batch {
				q.c.mu.Lock()
				q.c.sent[msgs[i].Body]++
				q.c.mu.Unlock()
				if err := q.Queue.Send(ctx, msgs[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (q slowQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	if !slices.ContainsFunc(msgs, func(m queue.Message) bool { return m.Receipt != "" }) {
		return nil // A test has made the deliveries: no queue has these messages.
	}
	return q.c.call(ctx, "SetVisibility", func() error { return q.Queue.SetVisibility(ctx, d, msgs...) })
}

type slowTimer struct {
	timer.Timer
	c *slowCloud
}

// throttled reports whether the call exceeds the rate of this second.
func (t slowTimer) throttled() bool {
	c := t.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if second := time.Now().Unix(); second != c.second {
		c.second, c.taken = second, 0
	}
	c.taken++
	return c.perSecond > 0 && c.taken > c.perSecond
}

func (t slowTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	return t.c.call(ctx, "Schedule", func() error {
		if t.throttled() {
			return fmt.Errorf("throttled: %w", timer.ErrUnavailable)
		}
		if t.c.refuses != nil {
			if err := t.c.refuses(ctx); err != nil {
				return err
			}
		}
		t.c.mu.Lock()
		n := t.c.calls["Schedule"]
		if t.c.kill > 0 && n >= t.c.kill {
			t.c.kill, t.c.died = 0, true
			t.c.mu.Unlock()
			return errKilled
		}
		t.c.mu.Unlock()
		return t.Timer.Schedule(ctx, s)
	})
}

func (t slowTimer) Cancel(ctx context.Context, name string) error {
	return t.c.call(ctx, "Cancel", func() error {
		if t.throttled() {
			return fmt.Errorf("throttled: %w", timer.ErrUnavailable)
		}
		return t.Timer.Cancel(ctx, name)
	})
}

func newSlowCloud(t *testing.T, code engine.Func) *slowCloud {
	c := &slowCloud{T: t, latency: 25 * time.Millisecond, limit: time.Minute, settings: host.Settings{Turn: host.TurnSettings{BlockLimit: -1}}, code: code,
		store: storememory.New(), calls: map[string]int{}, sent: map[string]int{}}
	c.stops = storememory.NewActivities(time.Now)
	c.deadFIFO = c.newQueue(queuememory.Options{Name: "deadfifo", FIFO: true})
	c.dead = c.newQueue(queuememory.Options{Name: "dead"})
	c.fifo = c.newQueue(queuememory.Options{Name: "fifo", FIFO: true, Visibility: 2 * time.Minute, DeadLetter: c.deadFIFO, MaxReceiveCount: 100})
	c.delay = c.newQueue(queuememory.Options{Name: "delay", Visibility: 2 * time.Minute, DeadLetter: c.dead, MaxReceiveCount: 100})
	c.activity = c.newQueue(queuememory.Options{Name: "activity", Visibility: time.Hour})
	tm, err := timermemory.New(timermemory.Options{RefusePast: true, Deliver: func(ctx context.Context, s timer.Schedule) error {
		return c.fifo.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.timer = tm
	t.Cleanup(tm.Close)
	return c
}

func (c *slowCloud) newQueue(o queuememory.Options) *queuememory.Queue {
	q, err := queuememory.New(o)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(q.Close)
	return q
}

func (c *slowCloud) process() *Orchestrator {
	registry, err := engine.NewRegistry(engine.Orchestration{Name: "Main", Func: c.code, Source: "test"})
	if err != nil {
		c.Fatal(err)
	}
	wrap := func(name string, q *queuememory.Queue) queue.Queue { return slowQueue{q, c, name} }
	keys, err := keyring.New(keyring.Config{Keys: &c.keys})
	if err != nil {
		c.Fatal(err)
	}
	o, err := New(Config{
		Orchestrations: registry,
		Keys:           keys,
		Services: Services{Store: slowStore{c.store, c}, Stops: slowStops{c.stops, c}, Queues: platform.Queues{Orchestrator: wrap("fifo", c.fifo), Delay: wrap("delay", c.delay), Activity: wrap("activity", c.activity),
			ActivityDead: wrap("activitydead", c.dead), DeadFIFO: wrap("deadfifo", c.deadFIFO), DeadStandard: wrap("dead", c.dead)}, Timer: slowTimer{c.timer, c}},
		Settings:    c.settings,
		Environment: platform.Environment{Random: rand.NewChaCha8([32]byte{7}), Logger: slog.New(slog.NewTextHandler(&c.logged, nil))},
	})
	if err != nil {
		c.Fatal(err)
	}
	c.mu.Lock()
	c.died = false
	c.mu.Unlock()
	return o
}

// run handles the messages of the orchestrator queue, one batch per invocation, until none arrives
// for three minutes.
func (c *slowCloud) run() {
	c.Helper()
	o := c.process()
	defer func() { o.Close() }()
	for {
		batch, err := c.fifo.Receive(c.Context(), 10, 3*time.Minute)
		if err != nil {
			c.Fatal(err)
		}
		if len(batch) == 0 {
			return
		}
		deliveries := make([]platform.Delivery, len(batch))
		for i, m := range batch {
			deliveries[i] = platform.Delivery{Message: m, Source: platform.SourceOrchestrator}
		}
		failed, killed := c.invoke(o, deliveries)
		if killed {
			o.Close()
			o = c.process()
			continue
		}
		if err := queue.Settle(c.Context(), c.fifo, batch, failed); err != nil {
			c.Error(err)
		}
	}
}

// invoke is one invocation. A process whose invocation is over is killed.
func (c *slowCloud) invoke(o *Orchestrator, batch []platform.Delivery) (failed []string, killed bool) {
	c.Helper()
	if c.invocations++; c.invocations > 200 {
		c.Fatal("no end to the messages")
	}
	startedAt := time.Now()
	ctx, cancel := context.WithDeadline(c.Context(), startedAt.Add(c.limit))
	defer cancel()
	failed = o.Handle(ctx, batch)
	c.longest = max(c.longest, time.Since(startedAt))
	c.mu.Lock()
	defer c.mu.Unlock()
	if killed = c.died || ctx.Err() != nil; killed {
		c.killed++
	}
	return failed, killed
}

func (c *slowCloud) send(item wire.Item) {
	c.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		c.Fatal(err)
	}
	if err := c.fifo.Send(c.Context(), queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}); err != nil {
		c.Fatal(err)
	}
}

func (c *slowCloud) start() {
	c.Helper()
	c.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
}

// well checks that the instance is running, that only the test killed processes, and that no
// message is left or lost.
func (c *slowCloud) well(killed int) {
	c.Helper()
	r, err := c.store.Describe(c.Context(), "a")
	if err != nil {
		c.Fatal(err)
	}
	if r.Status != store.StatusRunning || r.Problem != nil || r.Suspect != "" {
		c.Errorf("instance a is %s, problem %+v, suspect %q", r.Status, r.Problem, r.Suspect)
	}
	if c.killed != killed {
		c.Errorf("%d processes were killed by the end of their invocation, want %d", c.killed, killed)
	}
	if n := c.fifo.Counts().Total() + c.deadFIFO.Counts().Total() + c.dead.Counts().Total(); n != 0 {
		c.Errorf("%d messages are left on the orchestrator queue and among the dead letters", n)
	}
	c.Logf("%d invocations, the longest %s; at most %d calls at once; %v; record: dispatched %q", c.invocations, c.longest, c.most, c.calls, r.Dispatched)
}

func (c *slowCloud) expectSchedules(n int) {
	c.Helper()
	if got := len(c.timer.Pending()); got != n {
		c.Errorf("%d schedules, want %d", got, n)
	}
}

func timers(n int) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		futures := make([]*engine.Future, n)
		for i := range futures {
			futures[i] = ctx.Timer(24 * time.Hour)
		}
		_, err := ctx.Join(futures...)
		return in, err
	}
}

func TestF12ManyTimersOfOneTurnAreScheduledDespiteSlowCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		timers      int
		parallel    int
		latency     time.Duration
		perSecond   int
		invocations int
		calls       int // the maximum number of timer service calls
	}{
		{"3,000 at 25 ms, 32 at a time: one invocation", 3000, 0, 25 * time.Millisecond, 0, 1, 3000},
		{"10,000 at 25 ms, 32 at a time: one invocation", 10_000, 0, 25 * time.Millisecond, 0, 1, 10_000},
		{"3,000 at 25 ms, one at a time: two invocations", 3000, 1, 25 * time.Millisecond, 0, 2, 3000},
		{"10,000 at 25 ms, one at a time: five invocations", 10_000, 1, 25 * time.Millisecond, 0, 5, 10_000},
		{"10,000 at a second, 32 at a time: seven invocations", 10_000, 0, time.Second, 0, 7, 10_000},
		{"10,000 at 25 ms, 250 a second taken", 10_000, 0, 25 * time.Millisecond, 250, 2, 40_000},
		{"3,000 at 25 ms, 50 a second taken", 3000, 0, 25 * time.Millisecond, 50, 3, 20_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newSlowCloud(t, timers(test.timers))
				c.latency, c.perSecond, c.settings.Dispatch.Parallelism = test.latency, test.perSecond, test.parallel
				c.start()
				c.run()
				c.well(0)
				c.expectSchedules(test.timers)
				if c.invocations > test.invocations {
					t.Errorf("%d invocations, want %d", c.invocations, test.invocations)
				}
				if n := c.calls["Schedule"]; n > test.calls {
					t.Errorf("%d calls of the timer service for %d timers, want at most %d", n, test.timers, test.calls)
				}
			})
		})
	}
}

// mixed schedules n activities, n timers, n children, and n events for one other instance.
func mixed(n int) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		var futures []*engine.Future
		for i := range n {
			number := fmt.Appendf(nil, "%d", i)
			futures = append(futures, ctx.Activity(engine.ActivityCall{Name: "Work", Input: number}), ctx.Timer(24*time.Hour),
				ctx.Child(engine.ChildCall{Name: "Child", Instance: fmt.Sprintf("child-%d", i), Input: number}))
			if err := ctx.RaiseEvent("other", "e", number, nil); err != nil {
				return nil, err
			}
		}
		_, err := ctx.Join(futures...)
		return in, err
	}
}

// expectSent checks that all messages of a kind were sent, and that at most again of them were sent
// twice.
func (c *slowCloud) expectSent(kind wire.Kind, want, again int) {
	c.Helper()
	facts := map[string]int{}
	for body, times := range c.sent {
		item, err := wire.Parse([]byte(body))
		if err != nil {
			c.Fatal(err)
		}
		if item.Kind == kind {
			item.SentMS = 0 // A message that is sent again is the same.
			fact, err := item.Encode()
			if err != nil {
				c.Fatal(err)
			}
			facts[string(fact)] += times
		}
	}
	n, twice := len(facts), 0
	for _, times := range facts {
		twice += times - 1
	}
	if n != want || twice > again {
		c.Errorf("%d of kind %s were sent, %d of them again; want %d, at most %d again", n, kind, twice, want, again)
	}
}

// deliver gives one message to a process repeatedly until the message is done. Sent messages stay
// in the queues.
func (c *slowCloud) deliver(item wire.Item) {
	c.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		c.Fatal(err)
	}
	o := c.process()
	defer func() { o.Close() }()
	for receives := 1; ; receives++ {
		if receives > 100 {
			c.Fatal("a hundred receives did not do")
		}
		m := queue.Message{ID: item.ID, Body: string(body), Group: "a", ReceiveCount: receives}
		switch failed, killed := c.invoke(o, []platform.Delivery{{Message: m, Source: platform.SourceOrchestrator}}); {
		case killed:
			o.Close()
			o = c.process()
		case len(failed) == 0:
			c.Logf("%s: %d invocations, the longest %s; at most %d calls at once; %v", item.Kind, c.invocations, c.longest, c.most, c.calls)
			return
		}
		time.Sleep(2 * time.Minute) // time of the bubble: until the message is visible again
	}
}

func TestF12W03AMixedTurnContinuesWhereItsDispatchWasCutShort(t *testing.T) {
	t.Parallel()
	const n = 2500 // 10,000 operations
	for _, test := range []struct {
		name     string
		parallel int
		kill     int
		killed   int
		again    int // activities that are sent a second time
	}{
		// The events are for one instance and are sent one after another: 62.5 s.
		{"32 at a time", 0, 0, 0, 0},
		{"one at a time", 1, 0, 0, 0},
		{"killed in the midst of the second delivery", 1, 1500, 1, n},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newSlowCloud(t, mixed(n))
				c.settings.Dispatch.Parallelism, c.kill = test.parallel, test.kill
				c.deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
				if c.killed != test.killed {
					t.Errorf("%d processes were killed, want %d", c.killed, test.killed)
				}
				c.expectSchedules(n)
				c.expectSent(wire.ActivityExecute, n, test.again)
				c.expectSent(wire.StartOrchestration, n, n)
				c.expectSent(wire.ExternalRaised, n, n)
				c.expectEventsInOrder(n)
			})
		})
	}
}

// expectEventsInOrder checks that the events for the other instance are in its group in the order
// in which they were raised.
func (c *slowCloud) expectEventsInOrder(n int) {
	c.Helper()
	next := 0
	for _, m := range c.fifo.Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil {
			c.Fatal(err)
		}
		if item.Kind != wire.ExternalRaised {
			continue
		}
		if data := string(item.Data); data == fmt.Sprint(next) {
			next++
		} else if i := 0; true {
			// An event that was sent again comes later, and is recognized by its id.
			if _, err := fmt.Sscan(data, &i); err != nil || i >= next {
				c.Errorf("event %s lies where event %d was to be", data, next)
				return
			}
		}
	}
	if next != n {
		c.Errorf("%d events lie in the queue, want %d", next, n)
	}
}

// the invocation had time to send an activity, but not for the child that the code had
// started before the activity. The activity does not run a second time: its result waits behind the
// redelivered message.
func TestA08AnActivityIsNotResentBecauseTimeRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlowCloud(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
			child := ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: in})
			_, err := ctx.Join(child, ctx.Activity(engine.ActivityCall{Name: "Work", Input: in}))
			return in, err
		})
		// There is time to read, to commit, and to send one of the two messages.
		c.settings.Dispatch.Parallelism, c.latency, c.limit = 1, 2*time.Second, 10500*time.Millisecond
		c.deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
		c.expectSent(wire.ActivityExecute, 1, 0)
		c.expectSent(wire.StartOrchestration, 1, 0)
		if c.killed > 0 || c.invocations != 2 {
			t.Errorf("%d invocations, %d processes killed; want two, and none killed", c.invocations, c.killed)
		}
	})
}

func TestT08TheStopsOfAnEndMaySpanSeveralInvocations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 1500
		c := newSlowCloud(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range n {
				ctx.Activity(engine.ActivityCall{Name: "Work", Input: in})
				ctx.Timer(24 * time.Hour)
			}
			_, err := ctx.Await(ctx.ExternalEvent("stop"))
			return in, err
		})
		c.settings.Dispatch.Parallelism = 1
		c.deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
		c.expectSchedules(n)
		c.invocations = 0
		c.deliver(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "stop", Data: []byte("1"), ID: "stop"})
		c.expectSchedules(0)
		if c.invocations != 2 || c.killed > 0 {
			t.Errorf("%d invocations, %d processes killed; want two for 3,000 calls at 25 ms, and none killed", c.invocations, c.killed)
		}
		for _, id := range []int64{2, 2*n - 2} {
			if s, err := c.stops.State(t.Context(), store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: id}); !s.Stop || err != nil {
				t.Errorf("activity %d is not asked to stop: %+v, %v", id, s, err)
			}
		}
		if calls := c.calls["RequestStop"] + c.calls["Cancel"]; calls > 2*n+queue.MaxBatch {
			t.Errorf("%v; want %d requests to stop and as many schedules removed, and no more than a step of them again", c.calls, n)
		}
	})
}

// One commit contains the end of an execution, which removes its schedules, and the first turn of
// the next execution, which creates new ones.
func TestN03ADispatchContinuesThroughAContinueAsNew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 1500
		c := newSlowCloud(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range n {
				ctx.Timer(24 * time.Hour)
			}
			if _, err := ctx.Await(ctx.ExternalEvent("next")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		c.settings.Dispatch.Parallelism = 1
		c.deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
		c.invocations, c.calls = 0, map[string]int{}
		c.deliver(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "next", Data: []byte("1"), ID: "next"})
		c.expectSchedules(n)
		if c.invocations != 2 || c.killed > 0 {
			t.Errorf("%d invocations, %d processes killed; want two for 3,000 calls at 25 ms, and none killed", c.invocations, c.killed)
		}
		if calls := c.calls["Schedule"] + c.calls["Cancel"]; calls > 2*n+queue.MaxBatch {
			t.Errorf("%v; want %d schedules made and as many removed, and no more than a step of them again", c.calls, n)
		}
		for _, s := range c.timer.Pending() {
			item, err := wire.Parse([]byte(s.Body))
			if err != nil || item.ExecutionID != 2 {
				t.Fatalf("schedule %s is of execution %d (%v), want those of the second alone", s.Name, item.ExecutionID, err)
			}
		}
	})
}

// An operator's wake resends all open operations, however long that takes.
func TestW07AnOperatorsWakeMaySpanSeveralInvocations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 3000
		c := newSlowCloud(t, timers(n))
		c.settings.Dispatch.Parallelism = 1
		c.deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
		for _, s := range c.timer.Pending() { // by mistake
			if err := c.timer.Cancel(t.Context(), s.Name); err != nil {
				t.Fatal(err)
			}
		}
		c.invocations = 0
		c.deliver(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
		c.expectSchedules(n)
		if c.invocations != 2 || c.killed > 0 {
			t.Errorf("%d invocations, %d processes killed; want two for 3,000 calls at 25 ms, and none killed", c.invocations, c.killed)
		}
	})
}

// If a timer service refuses calls for longer than an invocation, the log names it with its last
// error, as a warning from the second delivery on.
func TestALongRefusalByTheTimerServiceIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newSlowCloud(t, timers(1))
		end := time.Now().Add(3 * time.Minute)
		c.refuses = func(ctx context.Context) error {
			if time.Now().After(end) {
				return nil
			}
			select {
			case <-time.After(20 * time.Second):
				return fmt.Errorf("the quota of schedules is used up: %w", timer.ErrUnavailable)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c.start()
		c.run()
		c.well(0)
		c.expectSchedules(1)
		var levels []string
		for line := range strings.Lines(c.logged.String()) {
			if strings.Contains(line, "dispatch cut short") && strings.Contains(line, "the quota of schedules is used up") {
				levels = append(levels, strings.Fields(line)[1])
			}
		}
		if len(levels) < 2 || levels[0] != "level=INFO" || slices.ContainsFunc(levels[1:], func(l string) bool { return l != "level=WARN" }) {
			t.Errorf("levels are %q in\n%s", levels, c.logged.String())
		}
	})
}
