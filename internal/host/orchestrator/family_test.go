package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// kindOf runs a child and returns its outcome.
func kindOf(call engine.ChildCall) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		call.Input = in
		out, err := ctx.Await(ctx.Child(call))
		var f *engine.FailureError
		if errors.As(err, &f) {
			return fmt.Appendf(nil, "%q", f.Failure.Instance+": "+f.Failure.Kind+": "+f.Failure.Message), nil
		}
		return out, err
	}
}

func TestP01AParentCallsAChild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Child", chain(1))
	w.activityFunc("Step", step)
	w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
		out, err := ctx.Join(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")}), ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("2")}))
		if err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "[%s,%s]", out[0], out[1]), nil
	})
	w.start("p", "Parent", "1")
	w.settleFIFO()
	// The start is dispatched again: there is no second child.
	w.send(wire.Item{Kind: wire.Wake, Instance: "p", ID: "w"})
	w.run()
	w.expectOutput("p", "[11,21]")
	events := w.events("p", 1)
	if a, b := events[1].Instance, events[2].Instance; a == b || w.record(a).Parent.Instance != "p" || w.record(b).Parent.EventID != 3 {
		t.Errorf("children %q and %q", a, b)
	}
	w.expectHistory(events[1].Instance, 1, "Started Act(Step) Done←2 Completed")
	w.expectQuiet()
	w.expectDead()
}

func TestP02EachOutcomeOfAChild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		child      engine.Func
		then       *wire.Item
	}{
		{"it returns an error", `"c: application: no luck"`, func(ctx *engine.Context, _ []byte) ([]byte, error) { return nil, errors.New("no luck") }, nil},
		{"it is cancelled", `"c: cancelled: wait for external event \"e\" (event 2) was cancelled: why not"`, waits("e"), &wire.Item{Kind: wire.CancelInstance, Instance: "c", ID: "1", Reason: "why not"}},
		{"it is terminated", `"c: terminated: away"`, waits("e"), &wire.Item{Kind: wire.TerminateInstance, Instance: "c", ID: "1", Reason: "away"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Child", c.child)
			w.orchestration("Parent", kindOf(engine.ChildCall{Name: "Child", Instance: "c"}))
			w.start("p", "Parent", "1")
			w.settleFIFO()
			if c.then != nil {
				w.send(*c.then)
			}
			w.run()
			w.expectOutput("p", c.want)
			w.expectQuiet()
		})
	}
	t.Run("it is stuck", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) { panic("stuck") })
		w.orchestration("Parent", kindOf(engine.ChildCall{Name: "Child", Instance: "c"}))
		w.start("p", "Parent", "1")
		w.runFor(time.Hour)
		w.expectStatus("p", store.StatusRunning)
		w.expectStatus("c", store.StatusStuck)
	})
}

func TestP04AChildThatContinuesAsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if len(in) < 4 {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return in, nil
	})
	w.orchestration("Parent", kindOf(engine.ChildCall{Name: "Child"}))
	w.start("p", "Parent", "1")
	w.run()
	w.expectHistory("p", 1, "Started Child(Child) Done←2 Completed")
	w.expectOutput("p", "1111")
	w.expectQuiet()
}

func TestP05P06AParentThatDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("continued as new %t", again), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Child", waits("e"))
			w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if string(in) == "2" {
					return waits("end")(ctx, in)
				}
				ctx.Child(engine.ChildCall{Name: "Child", Instance: "c", Input: in})
				if again {
					return nil, ctx.ContinueAsNew("", []byte("2"), nil)
				}
				return in, nil
			})
			w.start("p", "Parent", "1")
			w.settleFIFO()
			w.expectStatus("c", store.StatusRunning)
			w.raise("c", "e", "1", "e-1")
			w.run()
			w.expectOutput("c", "[1]")
			w.expectHistory("p", 1, map[bool]string{false: "Started Child(Child) Completed", true: "Started Child(Child) ContinuedAsNew"}[again])
			if again {
				w.expectHistory("p", 2, "Started Sub(end)")
			}
			w.expectDead()
			w.expectQuiet()
		})
	}
}

func TestP07ADetachedOrchestration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := waits("e")(ctx, in); err != nil {
			return nil, err
		}
		return nil, errors.New("its own failure")
	})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "o", Input: in}); err != nil {
			return nil, err
		}
		return chain(1)(ctx, in)
	})
	w.activityFunc("Step", step)
	w.start("a", "Main", "1")
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "again"})
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c", Reason: "x"})
	w.settleFIFO()
	w.expectStatus("a", store.StatusCancelled)
	w.expectStatus("o", store.StatusRunning)
	w.raise("o", "e", "1", "e-1")
	w.run()
	w.expectStatus("o", store.StatusFailed)
	w.expectHistory("o", 1, "Started Sub(e) Ev(e) Failed(application)")
	w.expectHistory("a", 1, "Started Chained(Other) Act(Step) CancelRequested Failed(cancelled)")
	w.expectDead()
}

func TestN01ThreeTimesContinueAsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		if err != nil || len(out) > 4 {
			return out, err
		}
		return nil, ctx.ContinueAsNew("", out, nil)
	})
	w.activityFunc("Step", step)
	w.start("a", "Main", "1")
	w.run()
	for n := int64(1); n <= 4; n++ {
		end := " ContinuedAsNew"
		if n == 4 {
			end = " Completed"
		}
		w.expectHistory("a", n, "Started Act(Step) Done←2"+end)
		if in := string(w.events("a", n)[0].Payload); in != strings.Repeat("1", int(n)) {
			t.Errorf("execution %d has input %s", n, in)
		}
	}
	w.expectOutput("a", "11111")
	if r := w.record("a"); r.ExecutionID != 4 || r.FirstExecution != 1 {
		t.Errorf("record %+v", r)
	}
	w.expectInvariants("a")
}

func TestN03LateCompletionsDontReachTheNextExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		a := ctx.Activity(engine.ActivityCall{Name: "Slow", Input: in})
		ctx.Timer(3 * time.Hour)
		if string(in) == "1" {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return ctx.Await(a)
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	old := w.completed("a", 2, `"old"`)
	w.raise("a", "go", "0", "go")
	w.settleFIFO()
	if n := len(w.timer.Pending()); n != 1 {
		t.Errorf("%d schedules, want that of the second execution", n)
	}
	if s, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}); !s.Stop || err != nil {
		t.Errorf("the activity was not asked to stop: %v", err)
	}
	// The second execution has an event of the same id and kind.
	w.send(old)
	w.settleFIFO()
	w.expectHistory("a", 2, "Started Act(Slow) Timer")
	w.expectDead()
	w.expectCount(host.CountMessages, "late", 1)
}

func TestN05AThousandIterations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if len(in) >= 1000 {
			return []byte("1"), nil
		}
		return nil, ctx.ContinueAsNew("", append(in[:len(in):len(in)], '1'), nil)
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	if r := w.record("a"); r.ExecutionID != 1000 {
		t.Errorf("execution %d", r.ExecutionID)
	}
	got := w.counted()
	if got["Commit"] != 1000 || got["Read"]+got["Describe"] > 150 {
		t.Errorf("calls %v: the cost of an iteration has to stay constant", got)
	}
	w.expectHistory("a", 500, "Started ContinuedAsNew")
	w.expectQuiet()
}

// delivery returns the first delivery of an item from the FIFO queue.
func (w *world) delivery(item wire.Item) platform.Delivery {
	w.Helper()
	d := platform.Delivery{Source: platform.SourceOrchestrator}
	d.ID, d.Body, d.Group, d.ReceiveCount = "by-hand-"+item.ID, w.body(item), wire.Group(item.Target()), 1
	return d
}

func TestK01CancelWhileAnActivityIsAwaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.settings.Attempt.CancelCheckAfter = -1 })
	w.orchestration("Main", chain(1))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c-1", Reason: "first"})
	w.settleFIFO()
	w.expectStatus("a", store.StatusCancelled)
	w.expectHistory("a", 1, "Started Act(Step) CancelRequested Failed(cancelled)")
	if s, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}); !s.Stop || err != nil || s.StopReason != "first" {
		t.Errorf("asked to stop: %+v, %v", s, err)
	}
	if f := w.record("a").Failure; f == nil || !strings.Contains(f.Message, "first") {
		t.Errorf("failure %+v", f)
	}
	// The worker finds the request before the attempt.
	ran := false
	w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { ran = true; return nil, nil })
	w.run()
	if ran {
		t.Error("the activity ran although it was asked to stop before")
	}
	w.expectCount(host.CountAttempts, "stopped", 1)
	w.expectQuiet()
}

func TestK06K07WholeFamilies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		kind   wire.Kind
		status store.Status
	}{
		{"K-06 cancel", wire.CancelInstance, store.StatusCancelled},
		{"K-07 terminate", wire.TerminateInstance, store.StatusTerminated},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Leaf", chain(1))
			w.orchestration("Middle", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Leaf", Instance: "leaf", Input: in}))
			})
			w.orchestration("Top", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if _, err := ctx.Detach(engine.ChildCall{Name: "Alone", Instance: "alone", Input: in}); err != nil {
					return nil, err
				}
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Middle", Instance: "middle", Input: in}))
			})
			w.orchestration("Alone", waits("e"))
			w.start("top", "Top", "1")
			w.settleFIFO()
			w.send(wire.Item{Kind: c.kind, Instance: "top", ID: "x", Reason: "all of it"})
			w.settleFIFO()
			for _, id := range []string{"top", "middle", "leaf"} {
				w.expectStatus(id, c.status)
				w.expectInvariants(id)
			}
			w.expectStatus("alone", store.StatusRunning)
			if s, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "leaf", ExecutionID: 1, EventID: 2}); !s.Stop || err != nil {
				t.Error("the leaf's activity was not asked to stop")
			}
		})
	}
}
