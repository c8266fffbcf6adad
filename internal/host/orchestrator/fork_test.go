package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// forkOf starts an instance that continues where another instance failed, or from an event.
func forkOf(of, as string, from int64) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Instance: as, Name: "Main", ID: "fork-" + as,
		Origin: &history.Origin{Instance: of, EventID: from}}
}

func TestO12AForkContinuesAsANewInstance(t *testing.T) {
	t.Parallel()
	for _, purged := range []bool{false, true} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			seen := ""
			for _, in := range []string{"1", "2", "3", "4"} {
				// Code may derive ids from the id of its instance, and replay compares them.
				if _, err := stepOf(ctx, "Step", in+map[string]string{"a": "1", "b": "2"}[ctx.Info().Instance]); err != nil {
					return nil, err
				}
				seen += ctx.Info().Instance
			}
			return []byte(`"` + seen + `"`), nil
		})
		r := counted(w, "Step")
		r.broken["31"] = true
		w.start("a", "Main", "1")
		w.run()
		before := w.record("a")
		w.expectStatus("a", store.StatusFailed)
		r.broken["31"] = false
		w.send(forkOf("a", "b", 0))
		if purged {
			// It is not needed once the fork has started.
			w.settleFIFO()
			w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "purge"})
		}
		w.run()
		w.restart()
		w.expectHistory("b", 1, "Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Redriven OrchestrationResumed Done←6 Act(Step) Done←10 Completed")
		w.expectOutput("b", `"aabb"`)
		r.expect(t, map[string]int{"11": 1, "21": 1, "31": 2, "42": 1})
		if after := w.record("a"); !purged && (after.ExecutionID != before.ExecutionID || after.Status != before.Status || !after.UpdatedAt.Equal(before.UpdatedAt)) {
			t.Errorf("the instance is %+v, it was %+v", after, before)
		}
		if after := w.record("a"); after.Purged != purged || !purged && (after.Forked != 1 || !after.KnowsFork("b")) {
			t.Errorf("the instance knows the forks %q, %d", after.Forks, after.Forked)
		}
		if rec := w.record("b"); rec.StartID != "fork-b" || fmt.Sprint(rec.Origin) != fmt.Sprint(&history.Origin{Instance: "a", ExecutionID: 1, EventID: 6}) {
			t.Errorf("the record is %+v", rec)
		}
		// The repeat of the fork starts nothing, and neither does a fork with an id in use.
		w.send(forkOf("a", "b", 0))
		other := forkOf("a", "b", 3)
		other.ID = "another"
		w.send(other)
		w.run()
		if rec := w.record("b"); rec.ExecutionID != 1 {
			t.Errorf("the record is %+v", rec)
		}
		w.expectDead()
	}
}

// Open activities keep the idempotency keys of the instance across forks of forks and their
// redrives. A link belongs only to the instance whose activity sent it.
func TestO12AnOpenActivityKeepsItsKeyInAForkButGetsItsOwnLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return stepOf(ctx, "Ask", "1")
	})
	keys, tokens := map[string][]string{}, map[string][]string{}
	w.activityFunc("Ask", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		keys[info.Instance], tokens[info.Instance] = append(keys[info.Instance], info.IdempotencyKey), append(tokens[info.Instance], info.CompletionToken)
		return nil, activities.ErrPending
	})
	w.start("a", "Main", "1")
	w.runFor(time.Minute)
	w.send(forkOf("a", "b", 0)) // a fork of a running instance
	w.runFor(time.Minute)
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "b", ID: "t"})
	w.runFor(time.Minute)
	w.send(redriveOf("b", "r", 0))
	w.runFor(time.Minute)
	w.send(forkOf("b", "c", 0))
	w.runFor(time.Minute)
	w.send(forkOf("c", "d", 0))
	w.runFor(time.Minute)
	first := keys["a"][0]
	for instance, n := range map[string]int{"a": 1, "b": 2, "c": 1, "d": 1} {
		if fmt.Sprint(keys[instance]) != fmt.Sprint(strings.Fields(strings.Repeat(first+" ", n))) {
			t.Errorf("the keys of %s are %q, that of a is %q", instance, keys[instance], first)
		}
	}
	w.byToken(wire.ActivityCompleted, tokens["a"][0], `,"result":"of a"`)
	w.byToken(wire.ActivityCompleted, tokens["b"][0], `,"result":"of b"`) // the link of the first execution
	w.byToken(wire.ActivityCompleted, tokens["c"][0], `,"result":"of c"`)
	w.run()
	for _, instance := range []string{"a", "b", "c"} {
		w.expectOutput(instance, `"of `+instance+`"`)
	}
	w.expectStatus("d", store.StatusRunning)
	w.expectHistory("b", 2, "Started Act(Ask) Redriven OrchestrationResumed Done←2 Completed")
	w.expectDead()
}

// A fork has its own children, which copy the progress of the original's children; a completed
// child does not run again. The children of the original are not changed.
func TestO12AForkHasItsOwnChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var fs []*engine.Future
		for _, in := range []string{"1", "2", "3"} {
			fs = append(fs, ctx.Child(engine.ChildCall{Name: "Child", Input: []byte(in), OnParentEnd: history.ParentEndTerminate}))
		}
		out, err := ctx.Join(fs...)
		if err != nil {
			return nil, err
		}
		return []byte(`"` + string(out[0]) + " " + string(out[1]) + " " + string(out[2]) + `"`), nil
	})
	w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := stepOf(ctx, "Step", "1"+string(in)); err != nil {
			return nil, err
		}
		if string(in) == "3" {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
		}
		return stepOf(ctx, "Step", "2"+string(in))
	})
	r := counted(w, "Step")
	r.broken["22"] = true
	w.start("a", "Main", "1")
	w.runFor(time.Minute)
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"})
	w.runFor(time.Minute)
	w.expectStatus("a/1/4", store.StatusTerminated)
	r.broken["22"] = false
	w.send(forkOf("a", "b", 0))
	w.runFor(time.Minute)
	w.expectStatus("b", store.StatusRunning)
	w.raise("b/1/4", "go", "1", "e")
	w.run()
	w.expectOutput("b", `"211 221 231"`)
	r.expect(t, map[string]int{"11": 1, "12": 1, "13": 1, "21": 1, "22": 2, "23": 1})
	w.expectHistory("b/1/3", 1, "Started Act(Step) Done←2 Act(Step) Redriven OrchestrationResumed Done←4 Completed")
	for id, n := range map[string]int64{"a/1/2": 1, "a/1/3": 1, "a/1/4": 1} {
		if rec := w.record(id); rec.ExecutionID != n || rec.Status == store.StatusRunning {
			t.Errorf("%s is %+v", id, rec)
		}
	}
	if rec := w.record("b/1/2"); rec.Instance != "" {
		t.Errorf("the child that had completed was begun: %+v", rec)
	}
	w.expectDead()
}

// A running instance does not share its child with its fork. If the code chose the id of a child,
// the fork cannot have that child.
func TestO12AForkDoesNotChangeARunningOriginal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id     string
		status store.Status
	}{"a derived id": {"", store.StatusCompleted}, "an id of the code's": {"shared", store.StatusFailed}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: c.id, Input: []byte("1"), OnParentEnd: history.ParentEndTerminate}))
			})
			w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if _, err := stepOf(ctx, "Step", "1"); err != nil {
					return nil, err
				}
				return ctx.Await(ctx.ExternalEvent("go"))
			})
			w.orchestration("Waiter", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Main", Instance: "a", UseExisting: true}))
			})
			r := counted(w, "Step")
			w.start("a", "Main", "1")
			w.runFor(time.Minute)
			w.start("waiter", "Waiter", "1") // waits for a, not for a's fork
			w.runFor(time.Minute)
			child := "a/1/2"
			if c.id != "" {
				child = c.id
			}
			w.send(forkOf("a", "b", 0))
			w.runFor(time.Minute)
			if c.id == "" {
				w.raise("b/1/2", "go", `"of b"`, "e")
				w.runFor(time.Minute)
				w.expectOutput("b", `"of b"`)
			}
			w.expectStatus("b", c.status)
			w.expectStatus("a", store.StatusRunning)
			w.expectStatus(child, store.StatusRunning)
			w.expectStatus("waiter", store.StatusRunning)
			w.raise(child, "go", `"of a"`, "e")
			w.run()
			w.expectOutput("a", `"of a"`)
			w.expectOutput("waiter", `"of a"`)
			r.expect(t, map[string]int{"1": 1})
			w.expectDead()
		})
	}
}

// A fork of a completed instance: from a named event, and from the beginning.
func TestO12AForkFromAnEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", threeSteps)
	r := counted(w, "Step")
	w.start("a", "Main", "1")
	w.run()
	w.send(forkOf("a", "b", 5)) // the completion of the second
	w.run()
	w.expectHistory("b", 1, "Started Act(Step) Done←2 Act(Step) Redriven OrchestrationResumed Done←4 Act(Step) Done←8 Completed")
	r.expect(t, map[string]int{"1": 1, "2": 2, "3": 2})
	w.send(forkOf("a", "c", 1))
	w.run()
	w.expectHistory("c", 1, "Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Done←6 Completed")
	if o := w.record("c").Origin; o == nil || o.Instance != "a" {
		t.Errorf("its origin is %+v", o)
	}
	w.expectDead()
}

// gap makes a gap in the history of the instance.
func gap(w *world) {
	turns := w.turns("a", 1)
	if err := w.store.Commit(w.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Token: "far", Events: []history.Event{
		{EventID: turns[len(turns)-1].Last() + 3, Kind: history.ExternalEvent, Name: "x"}}}}}); err != nil {
		w.Fatal(err)
	}
}

func TestO12AnImpossibleForkIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fork   func(*wire.Item)
		before func(*world)
		reason string
		says   string
	}{
		"of nobody":                    {func(i *wire.Item) { i.Origin.Instance = "nobody" }, nil, "redrive_refused", "there is no such instance"},
		"of a purged instance":         {nil, func(w *world) { w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"}); w.run() }, "redrive_refused", "purged"},
		"of another orchestration":     {func(i *wire.Item) { i.Name = "Other" }, nil, "redrive_refused", `it runs orchestration "Main"`},
		"of an execution before":       {func(i *wire.Item) { i.Origin.ExecutionID = 7 }, nil, "redrive_refused", "it is at execution 1"},
		"of a completed instance":      {func(i *wire.Item) { i.Origin.EventID = 0 }, nil, "redrive_refused", "it has completed"},
		"from an event that is not":    {func(i *wire.Item) { i.Origin.EventID = 99 }, nil, "redrive_refused", "the last event before its end is 7"},
		"of a history that is damaged": {nil, gap, "redrive_refused", "corrupt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", threeSteps)
			counted(w, "Step")
			w.start("a", "Main", "1")
			w.run()
			if c.before != nil {
				c.before(w)
			}
			item := forkOf("a", "b", 5)
			if c.fork != nil {
				c.fork(&item)
			}
			w.send(item)
			w.run()
			w.expectDead(c.reason)
			if text := w.deadFIFO.Peek()[0].Attributes[wire.ReasonAttribute]; !strings.Contains(text, c.says) {
				t.Errorf("the reason is %q", text)
			}
			if rec := w.record("b"); rec.Instance != "" {
				t.Errorf("it was begun: %+v", rec)
			}
		})
	}
}

// A child of a fork starts from the beginning if nothing is left to copy, because its parent waits.
func TestO12AForkedChildWhoseOriginalWasPurgedStartsFromTheBeginning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")}))
	})
	w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) { return stepOf(ctx, "Step", string(in)) })
	r := counted(w, "Step")
	r.broken["1"] = true
	w.start("a", "Main", "1")
	w.run()
	r.broken["1"] = false
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a/1/2", ID: "p"})
	w.run()
	w.send(forkOf("a", "b", 0))
	w.run()
	w.expectOutput("b", "11")
	w.expectHistory("b/1/2", 1, "Started Act(Step) Done←2 Completed")
	w.expectDead()
}

// Messages in the batch of a fork's start are for the fork, except another start.
func TestO12MessagesInTheBatchOfAForkAreForTheFork(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{false, true} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := stepOf(ctx, "Step", string(in)); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("go"))
		})
		r := counted(w, "Step")
		w.start("a", "Main", "1")
		w.runFor(time.Minute)
		event := wire.Item{Kind: wire.ExternalRaised, Instance: "b", ID: "e", Name: "go", Data: []byte(`"b"`)}
		start := wire.Item{Kind: wire.StartOrchestration, Instance: "b", ID: "s", Name: "Main", Input: []byte("2")}
		if first {
			w.fifoBatch(1, event, start, forkOf("a", "b", 0))
			w.run()
			w.expectHistory("b", 1, "Started Act(Step) Ev(go) Done←2 Sub(go) Completed")
			r.expect(t, map[string]int{"1": 1, "2": 1})
		} else {
			w.fifoBatch(1, event, forkOf("a", "b", 0), start)
			w.run()
			w.expectHistory("b", 1, "Started Act(Step) Done←2 Sub(go) Redriven Ev(go) Completed")
			r.expect(t, map[string]int{"1": 1})
		}
		w.expectOutput("b", `"b"`)
		w.expectDead()
	}
}

// A client may send the start of a fork twice. In one batch, both are one start.
func TestO12TheRepeatOfAForkInItsBatchRedrivesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := stepOf(ctx, "Step", string(in)); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("go"))
	})
	r := counted(w, "Step")
	w.start("a", "Main", "1")
	w.runFor(time.Minute)
	w.fifoBatch(1, forkOf("a", "b", 0), forkOf("a", "b", 0))
	w.runFor(time.Minute)
	w.expectHistory("b", 1, "Started Act(Step) Done←2 Sub(go) Redriven OrchestrationResumed")
	if n := w.record("b").ExecutionID; n != 1 {
		t.Errorf("it is at execution %d", n)
	}
	r.expect(t, map[string]int{"1": 1})
	w.expectDead()
}

// An inline activity whose last attempt has an unknown outcome keeps the key of the instance, like
// any other.
func TestO12AnInlineActivityKeepsItsKeyInAFork(t *testing.T) {
	t.Parallel()
	for name, unsure := range map[string]bool{"timeout": true, "failed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			broken, keys := true, []string{}
			w.inline = []activities.Activity{{Name: "In", Func: func(ctx context.Context, in []byte) ([]byte, error) {
				keys = append(keys, idempotencyKey(ctx))
				switch {
				case broken && unsure:
					w.clock.Advance(2 * time.Second) // beyond the timeout
					<-ctx.Done()
					return nil, ctx.Err()
				case broken:
					return nil, fmt.Errorf("broken")
				}
				return in, nil
			}}}
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Inline(engine.ActivityCall{Name: "In", Input: []byte("1"), Retry: &history.Retry{MaxAttempts: 1, TimeoutMS: 1000}})
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectStatus("a", store.StatusFailed)
			broken = false
			w.send(forkOf("a", "b", 0))
			w.run()
			w.expectOutput("b", "1")
			if len(keys) != 2 || keys[0] == keys[1] != unsure {
				t.Errorf("the keys are %q", keys)
			}
			w.expectDead()
		})
	}
}

// A pending retry of an inline activity keeps the key of the first attempt across redrives, forks
// and forks of forks, both while its timer is open and when the outcome of the next attempt is
// unknown.
func TestO12APendingInlineRetryKeepsItsKey(t *testing.T) {
	t.Parallel()
	for name, timer := range map[string]bool{"its timer is open": true, "then its last attempt is out of time": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			mended, keys := false, []string{}
			w.inline = []activities.Activity{{Name: "In", Func: func(ctx context.Context, in []byte) ([]byte, error) {
				info, _ := activities.InfoFrom(ctx)
				keys = append(keys, info.IdempotencyKey)
				switch {
				case mended:
					return in, nil
				case info.Number == 2 && !timer:
					w.clock.Advance(2 * time.Second) // beyond the timeout
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return nil, fmt.Errorf("broken")
			}}}
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Inline(engine.ActivityCall{Name: "In", Input: []byte("1"),
					Retry: &history.Retry{MaxAttempts: 2, TimeoutMS: 1000, InitialMS: 600_000, MaxMS: 600_000}})
			})
			end := func(instance string) {
				if timer || len(keys) == 0 {
					w.runFor(time.Second)
					w.send(wire.Item{Kind: wire.TerminateInstance, Instance: instance, ID: fmt.Sprint("t", len(keys), w.clock.Now())})
					w.runFor(time.Second)
					return
				}
				w.run()
			}
			w.start("a", "Main", "1")
			end("a")
			w.send(redriveOf("a", "r", 0))
			end("a")
			w.send(forkOf("a", "b", 0))
			end("b")
			mended = true
			w.send(forkOf("b", "c", 0))
			w.run()
			w.expectOutput("c", "1")
			for _, k := range keys {
				if k != keys[0] {
					t.Errorf("the keys are %q", keys)
				}
			}
			if len(keys) < 2 {
				t.Errorf("%d attempts", len(keys))
			}
			w.expectDead()
		})
	}
}

// V-04, O-12: the history that a fork copies has a patch. During the rollout of the patch, a build
// without the patch receives the fork, or the fork of a child. The message is requeued until the
// other build receives it. Found by seed 850249930 of the simulation.
func TestO12AForkWithAPatchOfAnotherBuildIsRequeued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	build := withPatch
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if ctx.Info().Instance[:1] == "p" {
			if _, err := patched(ctx, build); err != nil {
				return nil, err
			}
		}
		return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child"}))
	})
	w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if _, err := patched(ctx, build); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("go"))
	})
	for _, of := range []string{"p1", "a1"} { // The parent has the patch too, or only the child has it.
		w.start(of, "Main", "1")
		w.runFor(time.Minute)
		build = beforePatch
		w.restart()
		as, child := of[:1]+"2", of[:1]+"2/1/3"
		if of == "a1" {
			child = "a2/1/2"
		}
		w.send(forkOf(of, as, 0))
		w.runFor(5 * time.Minute)
		if n := w.observer.counts["delayed patch"]; n == 0 {
			t.Errorf("nothing went round: %v", w.observer.counts)
		}
		build = withPatch
		w.restart()
		w.runFor(15 * time.Minute)
		w.expectStatus(child, store.StatusRunning)
		w.raise(child, "go", `"gone"`, "e-"+as)
		w.run()
		w.expectOutput(as, `"gone"`)
		w.observer.counts["delayed patch"] = 0
	}
	if n := w.observer.counts["stuck nondeterminism"]; n > 0 {
		t.Errorf("%d times stuck", n)
	}
	w.expectDead()
}

// An instance knows its newest forks, including forks of its forks, when it continues and when it
// restarts. If two forks start at the same moment, both are known.
func TestO12AnInstanceKnowsItsForks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.ExternalEvent("go"))
	})
	knows := func(instance string, forked int64, want ...string) {
		t.Helper()
		if r := w.record(instance); r.Forked != forked || fmt.Sprint(r.Forks) != fmt.Sprint(want) {
			t.Errorf("%s knows the forks %q of %d, want %q", instance, r.Forks, r.Forked, want)
		}
	}
	w.start("a", "Main", "1")
	w.run()
	w.send(forkOf("a", "b", 0))
	w.run()
	w.send(forkOf("b", "c", 0))
	w.run()
	knows("a", 1, "b")
	knows("b", 1, "c")
	knows("c", 0)
	// The start arrives a second time, and another start requests an id that is in use.
	w.send(forkOf("a", "b", 0))
	other := forkOf("a", "c", 0)
	other.ID = "another"
	w.send(other)
	w.run()
	knows("a", 1, "b")
	// Another process records a fork between the read of the record and the write.
	w.beforeUpdate = func() {
		w.beforeUpdate = nil
		r := w.record("a")
		if err := w.store.UpdateRecord(t.Context(), "a", r.Fork("d", w.clock.Now())); err != nil {
			t.Error(err)
		}
	}
	w.send(forkOf("a", "e", 0))
	w.run()
	knows("a", 3, "b", "d", "e")
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"})
	w.run()
	// A fork is recorded at the same time as the commit with which the instance continues.
	w.beforeCommit = func(c *store.Commit) error {
		if c.Record == nil || c.Record.Create == nil {
			return nil
		}
		w.beforeCommit = nil
		r := w.record("a")
		return w.store.UpdateRecord(t.Context(), "a", r.Fork("g", w.clock.Now()))
	}
	w.send(redriveOf("a", "r", 0))
	w.run()
	knows("a", 4, "b", "d", "e", "g")
	if r := w.record("a"); r.ExecutionID != 2 || r.Status != store.StatusRunning {
		t.Errorf("the record is %+v", r)
	}
	for i := range store.MaxForks {
		w.send(forkOf("a", fmt.Sprint("f", i), 0))
		w.run()
	}
	if r := w.record("a"); r.Forked != 4+store.MaxForks || len(r.Forks) != store.MaxForks || r.Forks[0] != "f0" || r.KnowsFork("e") {
		t.Errorf("it knows %q of %d", r.Forks, r.Forked)
	}
	w.expectDead()
}
