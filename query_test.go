package turnstile_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var (
	counting = turnstile.NewOrchestration[string, string]("Counting")
	counted  = turnstile.NewEvent[string]("counted")
	noted    = turnstile.NewState[int]("noted")
	askCount = turnstile.NewQuery[int, int]("count")
	broken   = turnstile.NewQuery[string, int]("broken")
)

// countUntilEnd counts events until one says "end". Its query "broken" does what a handler must not do.
func countUntilEnd(ctx turnstile.Context, start string) (string, error) {
	seen := 0
	askCount.Handle(ctx, func(add int) (int, error) { return seen + add, nil })
	broken.Handle(ctx, func(how string) (int, error) {
		switch how {
		case "sleep":
			_ = turnstile.Sleep(ctx, time.Hour)
		case "side effect":
			_, _ = turnstile.SideEffect(ctx, "draw", func() (int, error) { panic("it ran") })
		case "state":
			_ = noted.Set(ctx, 1)
		case "panic":
			panic("kaboom")
		case "goexit":
			runtime.Goexit()
		case "fail":
			return 0, errors.New("no idea")
		case "count":
			seen++
			return seen, nil
		}
		return 0, nil
	})
	for what, err := range counted.All(ctx) {
		if err != nil {
			return "", err
		}
		if seen++; what == "end" {
			return start, nil
		}
	}
	return "", nil
}

func TestAQueryIsAnsweredByTheCodeAndChangesNothing(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(counting.Implement(countUntilEnd), askCount, broken))
	ask := func(instance string, add, want int, to, last int64) {
		t.Helper()
		a, err := client.Query(t.Context(), env.Client(), askCount, instance, add)
		if err != nil || a.Value != want || a.ReadTo != to || a.LastEventID != last || a.ExecutionID != 1 || a.Problem != nil {
			t.Errorf("%+v, %v; want %d, read to %d of %d", a, err, want, to, last)
		}
	}
	if _, err := client.Query(t.Context(), env.Client(), askCount, "i", 0); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("without an instance: %v", err)
	}
	run := turnstiletest.Start(env, counting, "x", client.WithInstanceID("i"))
	env.Run()
	ask("i", 0, 0, 2, 2)
	turnstiletest.Raise(env, counted, "i", "one")
	env.Run()
	before := run.Export()
	ask("i", 10, 11, 4, 4)
	ask("i", 0, 1, 4, 4)
	for how, kind := range map[string]string{"sleep": "durable_call", "side effect": "durable_call", "state": "durable_call", "panic": "panic", "goexit": "panic", "fail": "failed", "count": "failed"} {
		_, err := client.Query(t.Context(), env.Client(), broken, "i", how)
		if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != kind || refused.Orchestration != "Counting" {
			t.Errorf("a handler that does %q: %v; want kind %s", how, err, kind)
		}
	}
	// The test kit asks twice.
	_, err := client.Query(t.Context(), env.Client(), broken, "i", "count")
	if err == nil || !strings.Contains(err.Error(), "answers 2 and, asked again, 3: it must not change variables") {
		t.Errorf("a handler that counts: %v", err)
	}
	_, err = client.Query(t.Context(), env.Client(), turnstile.NewQuery[int, int]("counts"), "i", 0)
	if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != "unknown" || !strings.Contains(err.Error(), `did you mean "count"?`) {
		t.Errorf("a query that is misspelt: %v", err)
	}
	if _, err := client.Query(t.Context(), env.Client(), turnstile.NewQuery[string, int]("count"), "i", "ten"); err == nil || !strings.Contains(err.Error(), "is not a int") {
		t.Errorf("an input of another type: %v", err)
	}
	if _, err := client.Query(t.Context(), env.Client(), turnstile.NewQuery[int, string]("count"), "i", 1); !errors.As(err, new(*turnstile.DecodeError)) {
		t.Errorf("an output of another type: %v", err)
	}
	// While it is suspended the code has not seen what comes.
	if err := env.Client().Suspend(t.Context(), "i", "the bank is down"); err != nil {
		t.Fatal(err)
	}
	env.Run()
	turnstiletest.Raise(env, counted, "i", "end")
	env.Run()
	ask("i", 0, 1, 4, 6)
	if !bytes.HasPrefix(run.Export()[bytes.Index(run.Export(), []byte(`"events"`)):], bytes.TrimRight(before[bytes.Index(before, []byte(`"events"`)):], "\n]}")) {
		t.Errorf("the history changed:\n%s\nand was\n%s", run.Export(), before)
	}
	if err := env.Client().Resume(t.Context(), "i", "it is up again"); err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(); out != "x" || err != nil {
		t.Errorf("it ended with %q, %v", out, err)
	}
	last := int64(len(run.History()))
	ask("i", 0, 2, last, last)
	if _, err := client.Get(t.Context(), env.Client(), noted, "i"); !errors.As(err, new(*client.StateNotSetError)) {
		t.Errorf("a handler has set a state: %v", err)
	}
	// What waits for its start has not run.
	turnstiletest.Start(env, counting, "x", client.WithInstanceID("later"), client.StartAfter(time.Hour))
	env.Advance(0)
	_, err = client.Query(t.Context(), env.Client(), askCount, "later", 0)
	if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != "not_run" {
		t.Errorf("before its start: %v", err)
	}
}

func TestDisagreeingCodeAnswersUpToWhereItAgrees(t *testing.T) {
	t.Parallel()
	step := turnstile.NewActivity[string, string]("Step")
	code := func(steps ...string) *turnstile.App {
		return turnstile.NewApp(step.Implement(func(_ context.Context, in string) (string, error) { return in, nil }),
			counting.Implement(func(ctx turnstile.Context, _ string) (string, error) {
				done := 0
				askCount.Handle(ctx, func(int) (int, error) { return done, nil })
				for _, s := range steps {
					if _, err := step.Call(ctx, s); err != nil {
						return "", err
					}
					done++
				}
				return counted.Wait(ctx)
			}))
	}
	env := turnstiletest.New(t, code("a", "b", "c"))
	run := turnstiletest.Start(env, counting, "", client.WithInstanceID("i"))
	env.RunUntil(turnstiletest.EventAwaited(counted))
	env.Deploy(code("a", "x", "c"))
	a, err := client.Query(t.Context(), env.Client(), askCount, "i", 0)
	// Event 3 completed the first step, and the code answers it with another second one.
	if err != nil || a.Value != 0 || a.ReadTo != 2 || a.LastEventID != 8 || a.Problem == nil || a.Problem.EventID != 4 || a.Problem.Diff == nil {
		t.Errorf("%+v (problem %+v), %v", a, a.Problem, err)
	}
	env.Deploy(code("a", "b", "c"))
	turnstiletest.Raise(env, counted, "i", "end")
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	env.Deploy(code("a", "x", "c"))
	_, err = client.Query(t.Context(), env.Client(), askCount, "i", 0)
	if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != "disagrees" || refused.EventID != 4 {
		t.Errorf("after its end: %v", err)
	}
	env.Deploy(turnstile.NewApp())
	_, err = client.Query(t.Context(), env.Client(), askCount, "i", 0)
	if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != "not_registered" {
		t.Errorf("without the code: %v", err)
	}
}

func TestAQueryRunsNoOpenInlineActivity(t *testing.T) {
	t.Parallel()
	ran := 0
	once := turnstile.NewActivity[int, int]("Once")
	env := turnstiletest.New(t, turnstile.NewApp(once.Implement(func(context.Context, int) (int, error) { ran++; return 1, nil }),
		counting.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			phase := 1
			askCount.Handle(ctx, func(int) (int, error) { return phase, nil })
			if _, err := once.Inline(ctx, 1); err != nil {
				return "", err
			}
			phase = 2
			return counted.Wait(ctx)
		})))
	turnstiletest.Start(env, counting, "", client.WithInstanceID("i"))
	env.RunUntil(turnstiletest.EventAwaited(counted))
	for range 3 {
		if a, err := client.Query(t.Context(), env.Client(), askCount, "i", 0); err != nil || a.Value != 2 || ran != 1 {
			t.Errorf("%+v, %v; the activity ran %d times", a, err, ran)
		}
	}
}
