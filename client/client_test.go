package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestClientNamesEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := client.New(client.Config{})
	for _, want := range []string{"Queue"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not mention %s: %v", want, err)
		}
	}
	standard := ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{}))
	if _, err := client.New(client.Config{Store: memorystore.New(), Queue: standard}); err == nil || !strings.Contains(err.Error(), "FIFO") {
		t.Errorf("a standard queue was taken: %v", err)
	}
}

func TestM06StartingTwice(t *testing.T) {
	t.Parallel()
	id := client.WithInstanceID("one")

	t.Run("M-06 with the same start id is harmless, before the first turn and after", func(t *testing.T) {
		t.Parallel()
		e := arrange(t, nil, calculate.Implement(calculated), double.Implement(doubled))
		for range 2 {
			ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1, id, client.WithDeduplicationID("s")))
		}
		e.run()
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1, id, client.WithDeduplicationID("s")))
		if got := ok[int](t)(run.Wait(e.ctx)); got != 2 {
			t.Errorf("output %d", got)
		}
	})
	t.Run("M-06 with the same start id and no instance id is the same instance", func(t *testing.T) {
		t.Parallel()
		e := arrange(t, nil, calculate.Implement(calculated), double.Implement(doubled))
		again := func() string {
			t.Helper()
			return ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1, client.WithDeduplicationID("s"))).Instance
		}
		first := again()
		second := again()
		e.run()
		if third := again(); second != first || third != first {
			t.Errorf("instances %q, %q and %q, want one", first, second, third)
		}
		other := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1, client.WithDeduplicationID("t")))
		another := ok[client.Started](t)(e.client.Start(e.ctx, client.StartRequest{Name: double.Name(), DeduplicationID: "s"}))
		if other.Instance == first || another.Instance == first {
			t.Error("another start id, or another orchestration, has the same instance")
		}
	})
	t.Run("M-06 another start of a running or finished instance is told so", func(t *testing.T) {
		t.Parallel()
		e := start(t, child.Implement(greet))
		for _, who := range []string{"wait", "done"} {
			first := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, who, client.WithInstanceID(who)))
			if err := first.WaitStarted(e.ctx); err != nil {
				t.Fatal(err)
			}
			_, err := client.Start(e.ctx, e.client, child, "x", client.WithInstanceID(who))
			exists, isExists := errors.AsType[*client.AlreadyExistsError](err)
			if !isExists || exists.StartID != first.StartID || exists.Instance != who || exists.Name != "Child" {
				t.Errorf("the second start of %q gave %v", who, err)
			}
		}
	})
	t.Run("M-06 of two that race the record tells which won", func(t *testing.T) {
		t.Parallel()
		e := arrange(t, nil, calculate.Implement(calculated), double.Implement(doubled))
		won := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1, id))
		lost := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 2, id))
		e.run()
		if got := ok[int](t)(won.Wait(e.ctx)); got != 2 {
			t.Errorf("the winner's output is %d, want 2", got)
		}
		for name, err := range map[string]error{"WaitStarted": lost.WaitStarted(e.ctx), "Wait": second(lost.Wait(e.ctx))} {
			if exists, isExists := errors.AsType[*client.AlreadyExistsError](err); !isExists || exists.StartID != won.StartID {
				t.Errorf("%s of the loser gave %v", name, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestK04CancelReportsWhatItFound(t *testing.T) {
	t.Parallel()
	e := arrange(t, nil, child.Implement(greet))
	// K-04: without a record it is sent all the same.
	waiting := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "wait"))
	if err := waiting.Cancel(e.ctx, "early"); !errors.Is(err, client.ErrNoRecord) {
		t.Errorf("before the first turn: %v", err)
	}
	e.run()
	_, err := waiting.Wait(e.ctx)
	if !errors.Is(err, turnstile.ErrCancelled) || !strings.Contains(err.Error(), "early") {
		t.Errorf("it ended with %v", err)
	}
	// K-04: of a finished instance.
	err = waiting.Cancel(e.ctx, "late")
	if ended, isEnded := errors.AsType[*client.EndedError](err); !isEnded || ended.Status != client.StatusCancelled {
		t.Errorf("behind its end: %v", err)
	}
	if err := waiting.Terminate(e.ctx, "late"); !errors.As(err, new(*client.EndedError)) {
		t.Errorf("terminate behind its end: %v", err)
	}
	// What its end has sent may have been lost: a wake sends it again.
	if err := e.client.Wake(e.ctx, waiting.Instance); err != nil {
		t.Errorf("wake behind its end: %v", err)
	}
}

func TestO01DescribeAndWaitForAMissingInstance(t *testing.T) {
	t.Parallel()
	e := arrange(t, nil, child.Implement(greet))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "a"))
	// O-01: a start that is still queued is not found.
	for name, err := range map[string]error{
		"Describe": second(run.Describe(e.ctx)),
		"History":  second(e.client.History(e.ctx, run.Instance, 0)),
		"Wake":     e.client.Wake(e.ctx, run.Instance),
		"Purge":    e.client.Purge(e.ctx, run.Instance),
	} {
		missing, isMissing := errors.AsType[*client.NotFoundError](err)
		if !isMissing || missing.Instance != run.Instance || !errors.Is(err, client.ErrNotFound) {
			t.Errorf("%s gave %v", name, err)
		}
	}
	// O-02: a wait that ends early says how the instance was last seen.
	ctx, stop := context.WithCancel(e.ctx)
	stop()
	_, err := run.Wait(ctx)
	gaveUp, isWait := errors.AsType[*client.WaitError](err)
	if !isWait || gaveUp.Last != nil || !errors.Is(err, context.Canceled) || errors.Is(err, turnstile.ErrTimeout) {
		t.Errorf("the wait gave %v", err)
	}
}

func TestO02AWaitThatIsGivenUpNamesTheProblem(t *testing.T) {
	t.Parallel()
	e := start(t, child.Implement(func(turnstile.Context, string) (string, error) { panic("broken") }))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "a"))
	if err := e.Drain(e.ctx); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	// The first pause ends the wait.
	c := ok[*client.Client](t)(client.New(client.Config{
		Store: e.Store(), Queue: ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{FIFO: true})), Clock: &steps{at: func(int) { stop() }},
	}))
	_, err := client.Attach(c, child, run.Instance).Wait(ctx)
	gaveUp, isWait := errors.AsType[*client.WaitError](err)
	if !isWait || gaveUp.Last == nil || gaveUp.Last.Status != client.StatusStuck || !strings.Contains(err.Error(), "is stuck (panic: broken at ") || !strings.Contains(err.Error(), "client_test.go:") {
		t.Errorf("the wait gave %v", err)
	}
	late, stop := context.WithDeadline(e.ctx, time.Unix(1, 0))
	defer stop()
	if _, err := run.Wait(late); !errors.Is(err, turnstile.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait out of time gave %v", err)
	}
}

func TestO02WaitingWithoutANotificationPolls(t *testing.T) {
	t.Parallel()
	s := memorystore.New()
	clock := &steps{}
	q := ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{FIFO: true}))
	c := ok[*client.Client](t)(client.New(client.Config{
		Store: s, Queue: q, Clock: clock, PollInterval: time.Second, MaxPollInterval: 3 * time.Second,
	}))
	record := store.Record{Instance: "i", ExecutionID: 1, FirstExecution: 1, StartID: "s", Name: "Child", Status: store.StatusRunning, CreatedAt: epoch}
	clock.at = func(n int) {
		if n == 4 {
			record.Status, record.Output = store.StatusCompleted, []byte(`"done"`)
		}
		if err := s.UpdateRecord(t.Context(), "i", store.RecordChange{Create: &record, UpdatedAt: epoch}); err != nil {
			t.Error(err)
		}
	}
	got, err := client.Attach(c, child, "i").Wait(t.Context())
	if got != "done" || err != nil {
		t.Errorf("the wait gave %q, %v", got, err)
	}
	want := []time.Duration{time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond, 3 * time.Second}
	if len(clock.pauses) != len(want) {
		t.Fatalf("paused for %v, want %v", clock.pauses, want)
	}
	for i := range want {
		if clock.pauses[i] != want[i] {
			t.Errorf("paused for %v, want %v", clock.pauses, want)
		}
	}
}

// steps is a clock on which every pause is over at once.
type steps struct {
	pauses []time.Duration
	at     func(n int)
}

func (s *steps) Now() time.Time { return epoch }

func (s *steps) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	s.pauses = append(s.pauses, d)
	s.at(len(s.pauses))
	done := make(chan struct{})
	go func() { f(); close(done) }()
	<-done
	return func() bool { return false }
}

func TestDescribeShowsAFinishedInstance(t *testing.T) {
	t.Parallel()
	flow, seen := turnstile.NewOrchestration[int, int]("Flow").With(turnstile.Version("2")), turnstile.NewState[int]("seen")
	e := start(t, flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		if err := seen.Set(ctx, n); err != nil {
			return 0, err
		}
		return n + 1, turnstile.Sleep(ctx, time.Hour)
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 1, client.WithInstanceID("i")))
	ok[int](t)(run.Wait(e.ctx))
	d := ok[client.Description](t)(run.Describe(e.ctx))
	if d.Name != "Flow" || d.Version != "2" || d.Status != client.StatusCompleted || d.ExecutionID != 1 || d.StartID != run.StartID ||
		string(d.Output) != "2" || string(d.States["seen"].Value) != "1" || d.Failure != nil || d.Problem != nil || d.Parent != nil ||
		!d.CreatedAt.Equal(epoch) || !d.EndedAt.Equal(epoch.Add(time.Hour)) {
		t.Errorf("description %+v", d)
	}
	page := ok[client.ListPage](t)(e.client.List(e.ctx, client.ListQuery{Name: "Flow", Status: client.StatusCompleted}))
	if len(page.Instances) != 1 || page.Instances[0].Instance != "i" || page.NextPageToken != "" {
		t.Errorf("listed are %+v", page)
	}
}

func TestO04PurgeOfARunningInstanceNeedsForce(t *testing.T) {
	t.Parallel()
	sleeper := turnstile.NewOrchestration[time.Duration, string]("Sleeper")
	e := start(t, child.Implement(greet), sleeper.Implement(func(ctx turnstile.Context, d time.Duration) (string, error) {
		return "", turnstile.Sleep(ctx, d)
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "wait", client.WithInstanceID("i")))
	if err := run.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	err := e.client.Purge(e.ctx, "i")
	if running, isRunning := errors.AsType[*client.StillRunningError](err); !isRunning || running.Instance != "i" {
		t.Errorf("the purge gave %v", err)
	}
	if err := e.client.Purge(e.ctx, "i", client.Force()); err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(e.ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := e.client.Describe(e.ctx, "i"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("it is described as %v", err)
	}
	var purged *client.PurgedError
	_, err = client.Start(e.ctx, e.client, child, "again", client.WithInstanceID("i"))
	const held = 15 * 24 * time.Hour
	if !errors.Is(err, client.ErrPurged) || !errors.As(err, &purged) || purged.Instance != "i" || purged.FreeAt.Sub(epoch) < held || purged.FreeAt.Sub(epoch) > held+time.Hour {
		t.Fatalf("the start of a purged id gave %v, want a PurgedError that says %s", err, epoch.Add(held))
	}
	for name, call := range map[string]func() error{
		"cancel":    func() error { return e.client.Cancel(e.ctx, "i", "why") },
		"terminate": func() error { return e.client.Terminate(e.ctx, "i", "why") },
		"wake":      func() error { return e.client.Wake(e.ctx, "i") },
	} {
		var missing *client.NotFoundError
		if err := call(); !errors.As(err, &missing) || !missing.FreeAt.Equal(purged.FreeAt) {
			t.Errorf("%s of a purged instance gave %v", name, err)
		}
	}
	if _, err := e.client.Wait(e.ctx, "i"); !errors.Is(err, client.ErrPurged) {
		t.Errorf("waiting for a purged instance gave %v", err)
	}
	// Virtual time passes with whoever waits.
	ok[string](t)(ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, sleeper, held)).Wait(e.ctx))
	again := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "again", client.WithInstanceID("i")))
	ok[string](t)(again.Wait(e.ctx))
	if d := ok[client.Description](t)(again.Describe(e.ctx)); d.ExecutionID != 2 || d.FirstExecution != 2 {
		t.Errorf("it has executions from %d, now %d; want 2", d.FirstExecution, d.ExecutionID)
	}
}

func TestWhatAClientSendsIsTheContract(t *testing.T) {
	t.Parallel()
	e := arrange(t, nil)
	q := ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{FIFO: true}))
	c := ok[*client.Client](t)(client.New(client.Config{Store: memorystore.New(), Queue: q}))
	ok[*client.Run[int]](t)(client.Start(e.ctx, c, calculate, 7, client.WithInstanceID("i"), client.WithVersion("1.2"), client.WithDeduplicationID("s"), client.WithEvent(approved, approval{By: "x"})))
	if err := client.Raise(e.ctx, c, approved, "i", approval{By: "y"}, client.WithDeduplicationID("e")); err != nil {
		t.Fatal(err)
	}
	if err := c.Terminate(e.ctx, "i", "why"); !errors.Is(err, client.ErrNoRecord) {
		t.Fatal(err)
	}
	sent := q.Peek()
	if len(sent) != 3 {
		t.Fatalf("%d messages were sent, want 3", len(sent))
	}
	for i, want := range []wire.Item{
		{Kind: wire.StartOrchestration, ID: "s", Name: "Calculate", OrchVersion: "1.2", Input: []byte("7")},
		{Kind: wire.ExternalRaised, ID: "e", Name: "approved", Data: []byte(`{"By":"y"}`)},
		{Kind: wire.TerminateInstance, Reason: "why"},
	} {
		item := ok[wire.Item](t)(wire.Parse([]byte(sent[i].Body)))
		if item.Kind != want.Kind || item.Instance != "i" || want.ID != "" && item.ID != want.ID || item.ID == "" || item.Name != want.Name ||
			item.OrchVersion != want.OrchVersion || string(item.Input) != string(want.Input) || string(item.Data) != string(want.Data) || item.Reason != want.Reason {
			t.Errorf("sent was %s", sent[i].Body)
		}
		if sent[i].Group != "i" || sent[i].DedupID != wire.DedupID(&item) {
			t.Errorf("sent in group %q with deduplication id %q", sent[i].Group, sent[i].DedupID)
		}
	}
	if first := ok[wire.Item](t)(wire.Parse([]byte(sent[0].Body))).Events; len(first) != 1 || first[0].Name != "approved" || string(first[0].Data) != `{"By":"x"}` {
		t.Errorf("first events %+v", first)
	}
}
