package embedded_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	greet   = turnstile.NewActivity[string, string]("Greet")
	month   = turnstile.NewOrchestration[string, string]("Month")
	waiting = turnstile.NewOrchestration[int, int]("Waiting")
	epoch   = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
)

func application() *turnstile.App {
	return turnstile.NewApp(
		greet.Implement(func(_ context.Context, who string) (string, error) { return "hello " + who, nil }),
		month.Implement(func(ctx turnstile.Context, who string) (string, error) {
			greeting, err := greet.Call(ctx, who)
			if err != nil {
				return "", err
			}
			return greeting, turnstile.Sleep(ctx, 30*24*time.Hour)
		}),
		waiting.Implement(func(ctx turnstile.Context, _ int) (int, error) { return turnstile.NewEvent[int]("go").Wait(ctx) }),
	)
}

// running runs a runtime until the test ends.
func running(t *testing.T, options ...embedded.Option) *embedded.Runtime {
	t.Helper()
	env, err := embedded.New(application(), options...)
	if err != nil {
		t.Fatal(err)
	}
	run(t, env)
	return env
}

func run(t *testing.T, env *embedded.Runtime) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestO08AMonthTakesNoTimeAndLeavesTheHistoryOfAMonth(t *testing.T) {
	t.Parallel()
	env := running(t, embedded.WithVirtualTime(epoch))
	started, err := client.Start(t.Context(), env.Client(), month, "Ada", client.WithInstanceID("i"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := started.Wait(t.Context()); got != "hello Ada" || err != nil {
		t.Fatalf("the wait gave %q, %v", got, err)
	}
	events, err := env.Client().History(t.Context(), "i", 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []history.Kind{history.OrchestrationStarted, history.ActivityScheduled, history.ActivityCompleted,
		history.TimerCreated, history.TimerFired, history.OrchestrationCompleted}
	if len(events) != len(kinds) {
		t.Fatalf("%d events, want %d", len(events), len(kinds))
	}
	for i, kind := range kinds {
		if events[i].Kind != kind {
			t.Errorf("event %d is %s, want %s", i+1, events[i].Kind, kind)
		}
	}
	if took := events[5].AtMS - events[0].AtMS; took < (30 * 24 * time.Hour).Milliseconds() {
		t.Errorf("the history is %d ms long, less than the wait", took)
	}
	if now := env.Now(); now.Before(epoch.Add(30 * 24 * time.Hour)) {
		t.Errorf("it is %s, less than a month later", now)
	}
}

func TestRealTimeNeedsNoOptions(t *testing.T) {
	t.Parallel()
	env := running(t)
	started, err := client.Start(t.Context(), env.Client(), waiting, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(t.Context(), env.Client(), turnstile.NewEvent[int]("go"), started.Instance, 7); err != nil {
		t.Fatal(err)
	}
	if got, err := started.Wait(t.Context()); got != 7 || err != nil {
		t.Errorf("the wait gave %d, %v", got, err)
	}
}

func TestAfterFuncCallsFromOutsideInVirtualTime(t *testing.T) {
	t.Parallel()
	env, err := embedded.New(application(), embedded.WithVirtualTime(epoch))
	if err != nil {
		t.Fatal(err)
	}
	started, err := client.Start(t.Context(), env.Client(), waiting, 0)
	if err != nil {
		t.Fatal(err)
	}
	env.AfterFunc(time.Hour, func() {
		if err := client.Raise(t.Context(), env.Client(), turnstile.NewEvent[int]("go"), started.Instance, 7); err != nil {
			t.Error(err)
		}
	})
	stop := env.AfterFunc(time.Minute, func() { t.Error("called although it was stopped") })
	stop()
	run(t, env)
	if got, err := started.Wait(t.Context()); got != 7 || err != nil {
		t.Errorf("the wait gave %d, %v", got, err)
	}
	if want := epoch.Add(time.Hour); !env.Now().Equal(want) {
		t.Errorf("it is %s, want %s", env.Now(), want)
	}
}

// recorder keeps the events that it observes.
type recorder struct {
	host.NoObserver
	mu        sync.Mutex
	committed []host.Committed
}

func (r *recorder) Committed(c host.Committed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.committed = append(r.committed, c)
}

func TestAnObserverSeesEachTurnInOrderWithWhatWasSent(t *testing.T) {
	t.Parallel()
	var seen recorder
	env := running(t, embedded.WithVirtualTime(epoch), embedded.WithObserver(&seen))
	started, err := client.Start(t.Context(), env.Client(), month, "Ada")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := started.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := env.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	next := int64(1)
	var actions []string
	for _, c := range seen.committed {
		if c.Turns[0].First() != next {
			t.Errorf("a turn begins with event %d, want %d", c.Turns[0].First(), next)
		}
		next = c.Turns[0].Last() + 1
		for _, a := range c.Actions {
			actions = append(actions, a.Kind)
		}
	}
	if next != 7 || strings.Join(actions, " ") != "activity timer" {
		t.Errorf("seen were events to %d and actions %v", next-1, actions)
	}
}

func TestAnInvalidWorkItemIsADeadLetterWithItsReason(t *testing.T) {
	t.Parallel()
	letters := make(chan host.DeadLetter, 10)
	env := running(t, embedded.OnDeadLetter(func(d host.DeadLetter) { letters <- d }))
	for body, reason := range map[string]string{"no JSON": "malformed", `{"kind":"Dance","instance":"i"}`: "unknown_kind"} {
		if err := env.Send(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if got := <-letters; got.Body != body || !strings.HasPrefix(got.Reason, reason) {
			t.Errorf("%q became %+v, want reason %s", body, got, reason)
		}
	}
	// Sent as by aws sqs send-message.
	if err := env.Send(t.Context(), `{"kind":"StartOrchestration","instance":"i","name":"Waiting","events":[{"name":"go","data":3}]}`); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Attach(env.Client(), waiting, "i").Wait(t.Context()); got != 3 || err != nil {
		t.Errorf("the wait gave %d, %v", got, err)
	}
	if n := env.DeadLetters(); n != 2 {
		t.Errorf("%d dead letters, want 2", n)
	}
}

func TestALiveTraceShowsTurnsAndDeadLetters(t *testing.T) {
	t.Parallel()
	out := screen.New()
	env := running(t, embedded.WithLiveTrace(out))
	if err := env.Send(t.Context(), "no JSON"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Start(t.Context(), env.Client(), waiting, 1, client.WithInstanceID("order-1")); err != nil {
		t.Fatal(err)
	}
	out.WaitFor(t, "dead letter", "no JSON", "order-1", "turn 1", "Waiting")
}

func TestDrainWaitsForRunningInstances(t *testing.T) {
	t.Parallel()
	env := running(t)
	if err := env.Drain(t.Context()); err != nil {
		t.Fatalf("with nothing to do: %v", err)
	}
	started, err := client.Start(t.Context(), env.Client(), waiting, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := started.WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := env.Drain(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("while an instance waits: %v", err)
	}
	if err := client.Raise(t.Context(), env.Client(), turnstile.NewEvent[int]("go"), started.Instance, 1); err != nil {
		t.Fatal(err)
	}
	if err := env.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d, err := started.Describe(t.Context()); err != nil || d.Status != client.StatusCompleted {
		t.Errorf("drained, the instance is %s, %v", d.Status, err)
	}
}

func TestRunEndsAnActivityAfterTheShutdownTimeout(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	hang := turnstile.NewActivity[int, int]("Hang")
	flow := turnstile.NewOrchestration[int, int]("Flow")
	env, err := embedded.New(turnstile.NewApp(
		hang.Implement(func(ctx context.Context, _ int) (int, error) {
			close(begun)
			<-ctx.Done()
			return 0, ctx.Err()
		}),
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) { return hang.Call(ctx, n) }),
	), embedded.WithShutdownTimeout(0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Start(t.Context(), env.Client(), flow, 0); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- env.Run(ctx) }()
	<-begun
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := env.Run(t.Context()); err == nil {
		t.Error("it ran a second time")
	}
}

func TestAnApplicationThatCannotRunIsRejected(t *testing.T) {
	t.Parallel()
	twice := greet.Implement(func(context.Context, string) (string, error) { return "", nil })
	for name, c := range map[string]struct {
		app     *turnstile.App
		options []embedded.Option
		want    string
	}{
		"no application":                         {nil, nil, "NewApp"},
		"an application with an error":           {turnstile.NewApp(twice, twice), nil, "registered twice"},
		"no workers":                             {application(), []embedded.Option{embedded.WithWorkers(0)}, "at least one"},
		"virtual time that outlives the process": {application(), []embedded.Option{embedded.WithVirtualTime(epoch), embedded.WithDatabase(database{})}, "leave one of them out"},
		"a database that another has":            {application(), []embedded.Option{embedded.WithDatabase(database{})}, "another runtime has it"},
		"invalid settings":                       {application(), []embedded.Option{embedded.WithSettings(host.Settings{Cache: host.CacheSettings{Age: time.Hour}})}, "Cache.Age"},
	} {
		if _, err := embedded.New(c.app, c.options...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gave %v, want an error that mentions %q", name, err, c.want)
		}
	}
}

// database is a database that another runtime has acquired.
type database struct{ embedded.Database }

func (database) Acquire() error { return errors.New("another runtime has it") }

func TestR25AGoroutineOfTheOrchestrationsOwnLearnsWhatItMustNotDo(t *testing.T) {
	t.Parallel()
	own := turnstile.NewOrchestration[int, int]("Own")
	env, err := embedded.New(turnstile.NewApp(own.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		slept := make(chan error)
		go func() { slept <- turnstile.Sleep(ctx, time.Second) }()
		return 0, <-slept
	})), embedded.WithVirtualTime(epoch), embedded.WithSettings(host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	run(t, env)
	started, err := client.Start(t.Context(), env.Client(), own, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = started.Wait(t.Context())
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || !strings.Contains(failed.Message, "embedded_test.go:") || !strings.Contains(failed.Message, "goroutine that the orchestration started itself") {
		t.Errorf("Wait returned %v", err)
	}
}

func TestAQueryIsAnsweredInTheProcess(t *testing.T) {
	t.Parallel()
	flow, ended := turnstile.NewOrchestration[int, int]("Asked"), turnstile.NewQuery[int, int]("ended")
	env, err := embedded.New(turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		ended.Handle(ctx, func(add int) (int, error) { return n + add, nil })
		return n, nil
	})))
	if err != nil {
		t.Fatal(err)
	}
	run(t, env)
	started, err := client.Start(t.Context(), env.Client(), flow, 40)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := started.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a, err := client.Query(t.Context(), env.Client(), ended, started.Instance, 2); err != nil || a.Value != 42 {
		t.Errorf("%+v, %v", a, err)
	}
}
