package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	attempts "github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A process that another process has overtaken still has the old state of the instance in its
// cache. It runs no inline activity, because the commit that schedules the activity is made first,
// and is refused.

// noting registers the inline activity In, which returns its input and records the input and the
// idempotency key of each run. fails is the number of attempts that fail first.
func noting(t *testing.T, fails int) (w *world, runs *[]string) {
	runs = new([]string)
	w = newWorld(t, nil)
	w.inline = []activities.Activity{{Name: "In", Func: func(ctx context.Context, in []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		*runs = append(*runs, string(in)+" "+info.IdempotencyKey)
		if len(*runs) <= fails {
			return nil, errors.New("not yet")
		}
		return in, nil
	}}}
	return w, runs
}

// inlineAfter waits for the event go, and then runs the inline activity.
func inlineAfter(retry *history.Retry) engine.Func {
	return func(ctx *engine.Context, _ []byte) ([]byte, error) {
		in, err := ctx.Await(ctx.ExternalEvent("go"))
		if err != nil {
			return nil, err
		}
		return ctx.Inline(engine.ActivityCall{Name: "In", Input: in, Retry: retry})
	}
}

// keyAt returns the idempotency key of an activity of instance a.
func keyAt(event int64) string { return attempts.IdempotencyKey("a", 1, event) }

func expectRuns(t *testing.T, runs []string, want ...string) {
	t.Helper()
	if !slices.Equal(runs, want) {
		t.Errorf("inline activities ran as %q, want %q", runs, want)
	}
}

// overtake makes the first turn in one process, and handles the items in the other.
func overtake(w *world, items ...wire.Item) (overtaken *orchestratorProcess) {
	w.Helper()
	both := w.two()
	w.start("a", "Main", "1")
	w.orchestrator = both[0]
	w.settleFIFO()
	w.orchestrator = both[1]
	for i := range items {
		w.send(items[i])
		w.settleFIFO()
	}
	return both[0]
}

func TestA14AnOvertakenProcessRunsNoInlineActivity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		item wire.Item
		want []string
		then string
	}{
		{"by an event that the code does not wait for", wire.Item{Kind: wire.ExternalRaised, Name: "other", Data: []byte("1"), ID: "o"},
			[]string{"1 " + keyAt(5)}, "Started Sub(go) Ev(other) Ev(go) Act(In) Done←5 Completed"},
		{"by a suspend", wire.Item{Kind: wire.SuspendInstance, ID: "s"}, nil, "Started Sub(go) OrchestrationSuspended Ev(go)"},
		{"by a cancel", wire.Item{Kind: wire.CancelInstance, ID: "c"}, nil, "Started Sub(go) CancelRequested Failed(cancelled)"},
		{"by a terminate", wire.Item{Kind: wire.TerminateInstance, ID: "t"}, nil, "Started Sub(go) Failed(terminated)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, runs := noting(t, 0)
			w.orchestration("Main", inlineAfter(nil))
			c.item.Instance = "a"
			w.orchestrator = overtake(w, c.item)
			w.send(raised("e"))
			w.settleFIFO()
			expectRuns(t, *runs, c.want...)
			w.expectHistory("a", 1, c.then)
			w.expectDead()
		})
	}
}

// A retry that waits with a timer runs the inline activity in the turn of that timer, and so does
// code that polls.
func TestA14AnOvertakenProcessRunsNoInlineRetry(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]wire.Item{
		"by a suspend":   {Kind: wire.SuspendInstance, Instance: "a", ID: "s"},
		"by a cancel":    {Kind: wire.CancelInstance, Instance: "a", ID: "c"},
		"by a terminate": {Kind: wire.TerminateInstance, Instance: "a", ID: "t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, runs := noting(t, 1)
			w.orchestration("Main", inlineAfter(&history.Retry{MaxAttempts: 2, InitialMS: time.Hour.Milliseconds()}))
			both := w.two()
			w.start("a", "Main", "1")
			w.send(raised("e"))
			w.orchestrator = both[0]
			w.settleFIFO()
			w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(In) Failed(application)←4 Timer")
			fired := wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 6, FireAtMS: w.events("a", 1)[5].FireAtMS, Token: w.token("a", 6)}
			w.orchestrator = both[1]
			w.send(item)
			w.settleFIFO()
			kept := both[0].o.turns.cache.Take("a")
			w.clock.Advance(time.Hour)
			both[0].o.turns.cache.Put(kept)
			both[0].handle(w.received(fired, 1))
			expectRuns(t, *runs, "1 "+keyAt(4))
		})
	}
}

// pausing is a clock on which a process is paused whenever it waits.
type pausing struct {
	*virtualClock
	by time.Duration
}

func (c pausing) Sleep(_ context.Context, d time.Duration) error {
	c.Advance(d + c.by)
	return nil
}

// A process that is paused before an inline retry until after the end of its invocation leaves the
// retry to the process that has received its messages.
func TestA14NoInlineRetryStartsAfterTheEndOfTheInvocation(t *testing.T) {
	t.Parallel()
	w, runs := noting(t, 1)
	w.orchestration("Main", inlineAfter(&history.Retry{MaxAttempts: 2, InitialMS: 500}))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.change(func(cfg *Config) { cfg.Clock = pausing{w.clock, 5 * time.Minute} })
	if failed := w.process().handle(w.received(raised("e"), 1)); len(failed) != 1 {
		t.Errorf("it hands back %v, want the message", failed)
	}
	expectRuns(t, *runs, "1 "+keyAt(4))
}

// No commit precedes an inline retry within the turn, so the process first checks whether another
// process has stored the result.
func TestA14AnInlineRetryThatAnotherProcessMadeDoesNotStart(t *testing.T) {
	t.Parallel()
	w, runs := noting(t, 1)
	var both [2]*orchestratorProcess
	inner := w.inline[0].Func
	w.inline[0].Func = func(ctx context.Context, in []byte) ([]byte, error) {
		out, err := inner(ctx, in)
		if err != nil {
			both[1].handle(w.received(raised("e"), 1))
		}
		return out, err
	}
	w.orchestration("Main", inlineAfter(&history.Retry{MaxAttempts: 2, InitialMS: 500}))
	both = w.two()
	w.start("a", "Main", "1")
	w.orchestrator = both[0]
	w.settleFIFO()
	both[0].handle(w.received(raised("e"), 1))
	expectRuns(t, *runs, "1 "+keyAt(4), "1 "+keyAt(4))
	w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(In) Done←4 Completed")
}

// A turn that was cut short leaves an inline activity open in the cache. There is nothing to commit
// before the activity runs, so the stored history decides.
func TestA14AStaleCacheDoesNotRepeatAnInlineActivity(t *testing.T) {
	t.Parallel()
	w, runs := noting(t, 0)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := inlineAfter(nil)(ctx, in); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("end"))
	})
	both := w.two()
	w.start("a", "Main", "1")
	w.orchestrator = both[0]
	w.settleFIFO()
	w.limit = w.settings.Turn.InlineTime + 14*time.Second
	w.send(raised("e"))
	w.step()
	w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(In)")
	w.limit = time.Minute
	w.orchestrator = both[1]
	w.settleFIFO()
	w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(In) Done←4 Sub(end)")
	w.orchestrator = both[0]
	w.raise("a", "other", "1", "o")
	w.settleFIFO()
	expectRuns(t, *runs, "1 "+keyAt(4))
	w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(In) Done←4 Sub(end) Ev(other)")
}

// Two processes have the same batch. The input of an inline activity is durable before the activity
// runs, so both processes use the same input and key, even if the input is random.
func TestI06DuplicatesRunAnInlineActivityUnderOneKeyWithOneInput(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]int{"the first of a turn": 1, "the second": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, runs := noting(t, 0)
			var both [2]*orchestratorProcess
			inner := w.inline[0].Func
			w.inline[0].Func = func(ctx context.Context, in []byte) ([]byte, error) {
				if out, err := inner(ctx, in); len(*runs) != steps {
					return out, err
				}
				both[1].handle(w.received(raised("e"), 1))
				return in, nil
			}
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
				for range steps {
					id, err := ctx.GUID()
					if err != nil {
						return nil, err
					}
					if _, err := ctx.Inline(engine.ActivityCall{Name: "In", Input: fmt.Appendf(nil, "%q", id)}); err != nil {
						return nil, err
					}
				}
				return nil, nil
			})
			both = w.two()
			w.start("a", "Main", "1")
			w.orchestrator = both[0]
			w.settleFIFO()
			both[0].o.turns.cache.Clear()
			both[0].handle(w.received(raised("e"), 1))
			w.expectStatus("a", store.StatusCompleted)
			byKey := map[string]string{}
			for _, run := range *runs {
				in, key := run[:len(run)-33], run[len(run)-32:]
				if was, ran := byKey[key]; ran && was != in {
					t.Errorf("key %s was given %s and %s", key, was, in)
				}
				byKey[key] = in
			}
			if len(byKey) != steps || len(*runs) != steps+1 {
				t.Errorf("ran as %q, want %d keys, one of them twice", *runs, steps)
			}
		})
	}
}
