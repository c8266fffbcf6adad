package turnstile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// What Temporal's features suite and the tests of its Go SDK say about queries, in our words. The table
// in docs/guide/from-temporal.md has the result of each.
var (
	shop    = turnstile.NewOrchestration[int, int]("Shop")
	sold    = turnstile.NewEvent[int]("sold")
	closed  = turnstile.NewEvent[string]("closed")
	askSold = turnstile.NewQuery[int, string]("sold so far")
	askNil  = turnstile.NewQuery[*string, *string]("nothing")
	askBulk = turnstile.NewQuery[int, string]("bulk")
)

// shopping sells n things, and then waits to be closed: "failed" fails it.
func shopping(ctx turnstile.Context, n int) (int, error) {
	stage, count := "open", 0
	askSold.Handle(ctx, func(add int) (string, error) { return fmt.Sprint(stage, " ", count+add), nil })
	askNil.Handle(ctx, func(in *string) (*string, error) { return in, nil })
	askBulk.Handle(ctx, func(size int) (string, error) { return strings.Repeat("x", size), nil })
	for range n {
		if _, err := sold.Wait(ctx); err != nil {
			return 0, err
		}
		count++
	}
	stage = "waiting"
	how, err := closed.Wait(ctx)
	if stage = "over"; how == "failed" {
		return 0, errors.New("it failed")
	}
	return count, err
}

func TestTemporalsQueries(t *testing.T) {
	t.Parallel()
	shopOf := func(t *testing.T, n int) (*turnstiletest.Env, func(add int) string) {
		t.Parallel()
		env := turnstiletest.New(t, turnstile.NewApp(shop.Implement(shopping), askSold, askNil, askBulk))
		turnstiletest.Start(env, shop, n, client.WithInstanceID("s"))
		env.Run()
		return env, func(add int) string {
			t.Helper()
			a, err := client.Query(t.Context(), env.Client(), askSold, "s", add)
			if err != nil {
				t.Fatal(err)
			}
			return a.Value
		}
	}
	kind := func(t *testing.T, err error, want string) {
		t.Helper()
		if refused, ok := errors.AsType[*client.QueryError](err); !ok || refused.Kind != want {
			t.Errorf("%v, want kind %s", err, want)
		}
	}
	want := func(t *testing.T, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("it answers %q, want %q", got, want)
		}
	}
	t.Run("a counter is asked before and after events", func(t *testing.T) {
		env, ask := shopOf(t, 5)
		want(t, ask(0), "open 0")
		for n, then := range []string{"open 1", "open 4"} {
			for range 1 + 2*n {
				turnstiletest.Raise(env, sold, "s", 1)
			}
			env.Run()
			want(t, ask(0), then)
		}
	})
	// Temporal's query waits for a worker, and times out.
	t.Run("no process of the orchestrations runs", func(t *testing.T) {
		env, ask := shopOf(t, 1)
		turnstiletest.Raise(env, sold, "s", 1) // No turn is made for it.
		want(t, ask(0), "open 0")
		env.Run()
		want(t, ask(0), "waiting 1")
	})
	t.Run("an event that was raised is in the answer once it is recorded", func(t *testing.T) {
		env, ask := shopOf(t, 1)
		turnstiletest.Raise(env, sold, "s", 1)
		before, err := client.Query(t.Context(), env.Client(), askSold, "s", 0)
		if err != nil || before.Value != "open 0" || before.ReadTo != 2 {
			t.Errorf("%+v, %v", before, err)
		}
		env.Run()
		want(t, ask(0), "waiting 1")
	})
	t.Run("arguments that the handler does not expect", func(t *testing.T) {
		env, _ := shopOf(t, 1)
		untyped := func(in string) (json.RawMessage, error) {
			a, err := env.Client().Query(t.Context(), client.QueryRequest{Instance: "s", Name: askSold.Name(), Input: json.RawMessage(in)})
			return a.Value, err
		}
		if out, err := untyped("7"); err != nil || string(out) != `"open 7"` {
			t.Errorf("of its type: %s, %v", out, err)
		}
		if out, err := untyped(""); err != nil || string(out) != `"open 0"` {
			t.Errorf("none: %s, %v", out, err)
		}
		for _, in := range []string{`"seven"`, `[7, true]`} {
			_, err := untyped(in)
			kind(t, err, "failed")
		}
	})
	t.Run("a name without a handler", func(t *testing.T) {
		env, _ := shopOf(t, 1)
		for _, name := range []string{"nonexistent", "__stack_trace"} {
			_, err := client.Query(t.Context(), env.Client(), turnstile.NewQuery[int, int](name), "s", 0)
			kind(t, err, "unknown")
		}
	})
	t.Run("an output of another type", func(t *testing.T) {
		env, _ := shopOf(t, 1)
		_, err := client.Query(t.Context(), env.Client(), turnstile.NewQuery[int, int](askSold.Name()), "s", 0)
		if !errors.As(err, new(*turnstile.DecodeError)) {
			t.Error(err)
		}
	})
	t.Run("nil in and nil out", func(t *testing.T) {
		env, _ := shopOf(t, 1)
		if a, err := client.Query(t.Context(), env.Client(), askNil, "s", nil); err != nil || a.Value != nil {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("an output that is too large", func(t *testing.T) {
		env, _ := shopOf(t, 1)
		_, err := client.Query(t.Context(), env.Client(), askBulk, "s", 3_000_000)
		kind(t, err, "failed")
		if !strings.Contains(err.Error(), "bulk") {
			t.Error(err)
		}
	})
	for how, status := range map[string]client.Status{"done": client.StatusCompleted, "failed": client.StatusFailed} {
		t.Run("an instance that is "+how, func(t *testing.T) {
			env, ask := shopOf(t, 0)
			turnstiletest.Raise(env, closed, "s", how)
			env.Run()
			want(t, ask(0), "over 0")
			if d, err := env.Client().Describe(t.Context(), "s"); err != nil || d.Status != status {
				t.Errorf("%s, %v", d.Status, err)
			}
		})
	}
	t.Run("each stage, from the start to after the end", func(t *testing.T) {
		t.Parallel()
		state, work := turnstile.NewQuery[string, string]("state"), turnstile.NewActivity[int, int]("Work")
		flow := turnstile.NewOrchestration[int, int]("Flow")
		ask := func(env *turnstiletest.Env, stage string) {
			t.Helper()
			if a, err := client.Query(t.Context(), env.Client(), state, "f", "in "); err != nil || a.Value != "in "+stage {
				t.Errorf("%+v, %v; want %s", a, err, stage)
			}
		}
		var env *turnstiletest.Env
		env = turnstiletest.New(t, turnstile.NewApp(work.Implement(func(context.Context, int) (int, error) { ask(env, "activity"); return 1, nil }),
			flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
				stage := "event"
				state.Handle(ctx, func(in string) (string, error) { return in + stage, nil })
				if _, err := sold.Wait(ctx); err != nil {
					return 0, err
				}
				stage = "activity"
				n, err := work.Call(ctx, 1)
				stage = "done"
				return n, err
			})))
		turnstiletest.Start(env, flow, 1, client.WithInstanceID("f"))
		env.Run()
		ask(env, "event")
		turnstiletest.Raise(env, sold, "f", 1)
		env.Run()
		ask(env, "done")
	})
	t.Run("a child", func(t *testing.T) {
		t.Parallel()
		parent := turnstile.NewOrchestration[int, int]("Parent")
		env := turnstiletest.New(t, turnstile.NewApp(shop.Implement(shopping), parent.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			return shop.With(turnstile.InstanceID("child")).Call(ctx, 1)
		})))
		turnstiletest.Start(env, parent, 1)
		env.Run()
		if a, err := client.Query(t.Context(), env.Client(), askSold, "child", 2); err != nil || a.Value != "open 2" {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("a handler whose types cannot be encoded", func(t *testing.T) {
		t.Parallel()
		for _, q := range []turnstile.Component{turnstile.NewQuery[int, chan int]("a channel"), turnstile.NewQuery[func(), int]("a function")} {
			if err := turnstile.NewApp(q).Err(); err == nil {
				t.Error("there is no error")
			}
		}
	})
}
