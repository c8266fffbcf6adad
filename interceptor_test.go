package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
)

// notes is a list that several goroutines append to.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (l *notes) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf(format, args...))
}

func (l *notes) is(t *testing.T, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.all, want) {
		t.Errorf("got  %q\nwant %q", l.all, want)
	}
}

// noting returns an interceptor that records its calls.
func (l *notes) noting(name string) turnstile.Interceptor {
	return turnstile.Interceptor{
		Name: name,
		Orchestration: func(ctx turnstile.Context, call *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			l.add("%s: orchestration %s of %s", name, call.Input, turnstile.Info(ctx).Instance)
			err := next(ctx)
			l.add("%s: output %s, %v", name, call.Output, err)
			return err
		},
		Activity: func(ctx context.Context, call *turnstile.ActivityCall, next func(context.Context) error) error {
			l.add("%s: activity %s, attempt %d", name, call.Input, turnstile.ActivityInfo(ctx).Number)
			err := next(ctx)
			l.add("%s: result %s, %v", name, string(call.Result), err)
			return err
		},
		Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
			l.add("%s: %s %s %s %s by %q", name, call.Operation, call.Name, call.Instance, call.Payload, call.Actor)
			err := next(ctx)
			l.add("%s: sent, %v", name, err)
			return err
		},
	}
}

func TestTheFirstInterceptorIsTheOutermost(t *testing.T) {
	t.Parallel()
	var seen notes
	a, b := seen.noting("a"), seen.noting("b")
	double := turnstile.NewActivity[int, int]("Double").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2}))
	main := turnstile.NewOrchestration[int, int]("Main")
	failed := false
	e := start(t, a, b,
		double.Implement(func(_ context.Context, n int) (int, error) {
			if !failed {
				failed = true
				return 0, errors.New("not yet")
			}
			return 2 * n, nil
		}),
		main.Implement(func(ctx turnstile.Context, n int) (int, error) { return double.Call(ctx, n) }))
	c := e.client.WithInterceptors(a, b).WithActor("ada")
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, c, main, 7, client.WithInstanceID("m")))
	if got := ok[int](t)(run.Wait(e.ctx)); got != 14 {
		t.Errorf("output %d", got)
	}
	seen.is(t,
		`a: start Main m 7 by "ada"`, `b: start Main m 7 by "ada"`, "b: sent, <nil>", "a: sent, <nil>",
		"a: orchestration 7 of m", "b: orchestration 7 of m",
		"a: activity 7, attempt 1", "b: activity 7, attempt 1", "b: result , not yet", "a: result , not yet",
		"a: activity 7, attempt 2", "b: activity 7, attempt 2", "b: result 14, <nil>", "a: result 14, <nil>",
		"b: output 14, <nil>", "a: output 14, <nil>",
	)
}

func TestAnInterceptorMayReturnAnErrorWithoutCallingNext(t *testing.T) {
	t.Parallel()
	denied := turnstile.WithCode(errors.New("this tenant may not"), "denied")
	guard := turnstile.Interceptor{
		Name: "guard",
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			if turnstile.Info(ctx).Headers["tenant"] == "" {
				return denied
			}
			return next(ctx)
		},
		Activity: func(ctx context.Context, _ *turnstile.ActivityCall, next func(context.Context) error) error {
			if turnstile.ActivityInfo(ctx).Headers["tenant"] == "bad" {
				return turnstile.NonRetryable(denied)
			}
			return next(ctx)
		},
		Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
			if call.Operation == "purge" {
				return denied
			}
			return next(ctx)
		},
	}
	act := turnstile.NewActivity[int, int]("Act").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3}))
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t, guard,
		act.Implement(func(_ context.Context, n int) (int, error) { return n, nil }),
		main.Implement(func(ctx turnstile.Context, n int) (int, error) { return act.Call(ctx, n) }))
	for tenant, want := range map[string]string{"": "this tenant may not", "bad": `activity "Act" failed: this tenant may not`, "good": ""} {
		headers := map[string]string{"tenant": tenant}
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 7, client.WithHeaders(headers)))
		_, err := run.Wait(e.ctx)
		got := ""
		if failed, is := errors.AsType[*client.OrchestrationError](err); is {
			got = failed.Message
			if failed.Code != "denied" {
				t.Errorf("tenant %q: code %q", tenant, failed.Code)
			}
		}
		if got != want {
			t.Errorf("tenant %q: %v, want %q", tenant, err, want)
		}
	}
	if err := e.client.WithInterceptors(guard).Purge(e.ctx, "m"); !errors.Is(err, denied) {
		t.Errorf("the purge: %v", err)
	}
}

// Code of an orchestration's interceptor before next runs again on each replay; its log lines and
// AfterCommit functions appear once.
func TestAnInterceptorRunsAgainOnReplayButLogsOnce(t *testing.T) {
	t.Parallel()
	var runs, heard notes
	watch := turnstile.Interceptor{
		Name: "watch",
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			runs.add("begin")
			turnstile.AfterCommit(ctx, func() { heard.add("began") })
			err := next(ctx)
			turnstile.AfterCommit(ctx, func() { heard.add("ended, continued: %v", turnstile.IsContinueAsNew(err)) })
			return err
		},
	}
	rounds := turnstile.NewOrchestration[int, int]("Rounds")
	e := arrange(t, []embedded.Option{embedded.WithSettings(host.Settings{Cache: host.CacheSettings{Instances: -1}})}, watch,
		rounds.Implement(func(ctx turnstile.Context, n int) (int, error) {
			for range 2 {
				if err := turnstile.Sleep(ctx, 1); err != nil {
					return 0, err
				}
			}
			if n > 0 {
				return 0, rounds.ContinueAsNew(ctx, n-1)
			}
			return 5, nil
		}))
	e.run()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, rounds, 1))
	ok[int](t)(run.Wait(e.ctx))
	if n := len(runs.all); n != 6 {
		t.Errorf("the code was run from its beginning %d times, want 6: two executions of three turns, none of them warm", n)
	}
	heard.is(t, "began", "ended, continued: true", "began", "ended, continued: false")
}

func TestHeadersOfAContextReachItsOperations(t *testing.T) {
	t.Parallel()
	var seen notes
	note := turnstile.NewActivity[string, string]("Note").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2}))
	inner := turnstile.NewOrchestration[string, string]("Inner")
	main := turnstile.NewOrchestration[int, string]("Main")
	headers := turnstile.Interceptor{
		Name: "tenant",
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			if info := turnstile.Info(ctx); info.Name == "Inner" {
				return next(ctx)
			}
			ctx, err := turnstile.WithHeaders(ctx, map[string]string{"tenant": "t", "who": "interceptor"})
			if err != nil {
				return err
			}
			return next(ctx)
		},
	}
	shown := func(h map[string]string) string {
		var all []string
		for _, k := range slices.Sorted(maps.Keys(h)) {
			all = append(all, k+"="+h[k])
		}
		return strings.Join(all, " ")
	}
	e := start(t, headers,
		note.Implement(func(ctx context.Context, who string) (string, error) {
			info := turnstile.ActivityInfo(ctx)
			seen.add("%s %d: %s", who, info.Number, shown(info.Headers))
			if info.Number == 1 {
				return "", errors.New("again")
			}
			return "", nil
		}),
		inner.Implement(func(ctx turnstile.Context, who string) (string, error) {
			info := turnstile.Info(ctx)
			seen.add("%s: %s", who, shown(info.Headers))
			if _, err := note.Inline(ctx, "inline in "+who); err != nil {
				return "", err
			}
			return "", nil
		}),
		main.Implement(func(ctx turnstile.Context, n int) (string, error) {
			seen.add("execution: %s", shown(turnstile.Info(ctx).Headers))
			own, err := turnstile.WithHeaders(ctx, map[string]string{"who": "code"})
			if err != nil {
				return "", err
			}
			if n == 0 {
				_, err := note.Call(ctx, "the last")
				return "", err
			}
			branch := turnstile.Go(own, func(ctx turnstile.Context) (string, error) {
				scope, cancel := turnstile.WithCancel(ctx)
				defer cancel("")
				return note.Call(scope, "branch")
			})
			if _, err := branch.Await(ctx); err != nil {
				return "", err
			}
			if _, err := inner.Call(own, "child"); err != nil {
				return "", err
			}
			return "", main.ContinueAsNew(own, n-1)
		}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, main, 1, client.WithHeaders(map[string]string{"a": "1", "who": "start"}), client.WithInstanceID("m")))
	ok[string](t)(run.Wait(e.ctx))
	slices.Sort(seen.all)
	seen.all = slices.Compact(seen.all) // once for each replay
	seen.is(t,
		"branch 1: a=1 tenant=t who=code", "branch 2: a=1 tenant=t who=code",
		"child: a=1 tenant=t who=code",
		"execution: a=1 tenant=t who=interceptor",
		"inline in child 1: a=1 tenant=t who=code", "inline in child 2: a=1 tenant=t who=code",
		"the last 1: a=1 tenant=t who=interceptor", "the last 2: a=1 tenant=t who=interceptor",
	)
	first := ok[[]history.Event](t)(e.client.History(e.ctx, "m", 1))
	for _, ev := range first {
		if want := ev.Kind == history.ActivityScheduled || ev.Kind == history.SubOrchestrationScheduled; want != (shown(ev.Headers) == "tenant=t who=code") {
			t.Errorf("event %d (%s) has the headers %v", ev.EventID, ev.Kind, ev.Headers)
		}
	}
	if h := e.history("m")[0].Start.Headers; shown(h) != "a=1 tenant=t who=code" {
		t.Errorf("the next execution starts with %v", h)
	}
}

func TestHeadersOverTheLimitAreRejectedWhereTheyAreSet(t *testing.T) {
	t.Parallel()
	main := turnstile.NewOrchestration[int, string]("Main")
	e := start(t, main.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		_, err := turnstile.WithHeaders(ctx, map[string]string{"a": strings.Repeat("x", 4090)})
		if !isInvalid(err) || !strings.Contains(err.Error(), "the limit of 4096") {
			return "", differ("too long: %v", err)
		}
		if _, err = turnstile.WithHeaders(ctx, map[string]string{"A": ""}); !isInvalid(err) {
			return "", differ("a bad name: %v", err)
		}
		return "as said", nil
	}))
	// The headers of the start count too.
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, main, 1, client.WithHeaders(map[string]string{"tenant": "t"})))
	if got := ok[string](t)(run.Wait(e.ctx)); got != "as said" {
		t.Error(got)
	}
}

// Headers that differ from the recorded ones are not nondeterminism.
func TestHeadersAreNotComparedOnReplay(t *testing.T) {
	t.Parallel()
	act := turnstile.NewActivity[int, int]("Act")
	main := turnstile.NewOrchestration[int, int]("Main")
	app := func(value string) *turnstile.App {
		return turnstile.NewApp(main.Implement(func(ctx turnstile.Context, n int) (int, error) {
			ctx, err := turnstile.WithHeaders(ctx, map[string]string{"build": value})
			if err != nil {
				return 0, err
			}
			return act.Call(ctx, n)
		}))
	}
	x := engine.New(engine.Config{Instance: "m", ExecutionID: 1, Registry: app("one").Orchestrations()})
	defer x.Close()
	turn := ok[engine.Turn](t)(x.Run(engine.Input{Arrivals: []engine.Arrival{{Event: history.Event{
		Kind: history.OrchestrationStarted, Name: "Main", Payload: []byte("1"), Start: &history.Start{ExecutionID: 1}}}}}))
	if h := turn.Events[1].Headers; !maps.Equal(h, map[string]string{"build": "one"}) {
		t.Fatalf("recorded %v", h)
	}
	if again := replay(t, app("two"), "m", turn.Events); again.Stuck != nil || len(again.Events) > 0 {
		t.Errorf("replayed under another build: %v, %v", again.Stuck, again.Events)
	}
}
