package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Lambda may hand a batch to two processes at its first receive: the same receipts, the
// receive count 1 in both. One commits and dies ahead of its dispatch, and the other one
// acknowledges the messages for both.

// twinWorld has an instance that waits for an event, then for an activity and a second
// event, and goes on as new behind that or ends.
func twinWorld(t *testing.T, ends bool) *world {
	return newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Main", Instance: "a", Input: in}))
		})
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			data, err := ctx.Await(ctx.ExternalEvent("go"))
			if err != nil {
				return nil, err
			}
			if string(data) == tooMuch {
				for range 20 {
					ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte(`"` + strings.Repeat("x", 250<<10) + `"`)})
				}
			}
			if ends {
				return in, nil
			}
			if string(in) == "1" {
				return nil, ctx.ContinueAsNew("", []byte("2"), nil)
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
	})
}

// tooMuch is the data of an event behind which the instance does more than a commit holds.
const tooMuch = `"too much"`

// W-03: whatever kind of message it is, the twin sends what the dead one committed.
func TestATwinSendsWhatADeadProcessCommitted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends   bool
		item   wire.Item
		output string
	}{
		"an event that ends the instance": {true, raised("e"), "1"},
		"an event that brings too much":   {false, wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: "e", Data: []byte(tooMuch)}, ""},
		"a terminate":                     {false, wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"}, ""},
		"a cancel":                        {false, wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c"}, ""},
		"a purge with force":              {false, wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p", Force: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := twinWorld(t, c.ends)
			w.start("parent", "Parent", "1")
			w.runFor(time.Minute)
			both := w.two()
			var batch []platform.Delivery
			for _, item := range asSent(c.item) {
				batch = append(batch, w.received(item, 1))
			}
			w.diesBehind(both[0], 1, batch...)
			w.clock.Advance(time.Second)
			if failed := both[1].handle(batch...); len(failed) > 0 {
				t.Fatalf("the twin hands back %v", failed)
			}
			w.orchestrator = both[1]
			w.run()
			if r := w.record("parent"); !r.Status.Terminal() {
				t.Errorf("the parent was not told: it is %s", r.Status)
			}
			if c.output != "" {
				w.expectOutput("parent", c.output)
			}
		})
	}
}

// W-03: also through a continue-as-new, and where the twin has the instance warm.
func TestATwinSendsWhatFollowsAContinueAsNew(t *testing.T) {
	t.Parallel()
	w := twinWorld(t, false)
	w.start("a", "Main", "1")
	w.run()
	both := w.two()
	both[1].handle(w.received(raised("warm"), 1))
	w.diesBehind(both[0], 1, w.received(raised("e"), 1))
	if failed := both[1].handle(w.received(raised("e"), 1)); len(failed) > 0 {
		t.Fatalf("the twin hands back %v", failed)
	}
	w.orchestrator = both[1]
	w.run()
	w.expectStatus("a", store.StatusCompleted)
}

// underWay is a store in which a commit of the instance is under way.
type underWay struct{ store.Store }

func (underWay) ReadIsolated(context.Context, string, int64, int64) (store.Isolated, error) {
	return store.Isolated{}, fmt.Errorf("a transaction is under way: %w", store.ErrUnavailable)
}

// I-06: a twin that finds the other's commit while that is under way does not acknowledge
// the message: who handles the next one would read the record as it was.
func TestATwinWaitsForTheCommitThatIsUnderWay(t *testing.T) {
	t.Parallel()
	w := twinWorld(t, true)
	w.start("a", "Main", "1")
	w.run()
	both := w.two()
	w.diesBehind(both[0], 1, w.received(raised("e"), 1))
	p := both[1]
	p.o.Close()
	p.cfg.Services.Store = underWay{p.cfg.Services.Store}
	p.begin()
	if failed := p.handle(w.received(raised("e"), 1)); len(failed) != 1 {
		t.Errorf("the twin hands back %v, want the message", failed)
	}
}

// W-13: of two processes that have a wake one clears the mark, and dies ahead of the wake
// by which its turn was to go on. The other goes on.
func TestATwinOfAWakeGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.settings.Turn.Executions = 1
	w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.start("a", "Main", "1")
	w.step()
	w.expectStatus("a", store.StatusStuck)
	w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if len(in) < 3 {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return in, nil
	})
	both := w.two()
	wake := w.received(wire.Item{Kind: wire.Wake, Instance: "a", ExecutionID: 1, ID: "wake", Number: w.record("a").Stamp}, 1)
	w.diesBehind(both[0], 1, wake)
	if failed := both[1].handle(wake); len(failed) > 0 {
		t.Fatalf("the twin hands back %v", failed)
	}
	w.orchestrator = both[1]
	w.runFor(time.Minute)
	w.expectOutput("a", "111")
}

// M-08: what comes later than its instance ended reads no history.
func TestWhatComesBehindAnEndReadsNoHistory(t *testing.T) {
	t.Parallel()
	w := twinWorld(t, true)
	w.start("a", "Main", "1")
	w.run()
	w.give(w.received(raised("e"), 1))
	w.clock.Advance(2 * lease.Skew)
	c := &readCounter{}
	w.change(func(cfg *Config) { c.Store, cfg.Services.Store = cfg.Services.Store, c })
	w.give(w.received(raised("later"), 1))
	if c.n != 0 {
		t.Errorf("%d histories were read", c.n)
	}
}

// the time limit of a pending activity becomes its failure, by which the instance goes
// on as new, and its process dies. The twin goes on from there.
func TestA13ATwinGoesOnBehindALimitThatADeadProcessCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.activityFunc("Wait", func(context.Context, []byte) ([]byte, error) { return nil, activity.ErrPending })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "1" {
				_, _ = ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Wait", Retry: &history.Retry{TotalTimeoutMS: 40_000}}))
				return nil, ctx.ContinueAsNew("", []byte("2"), nil)
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
	})
	w.start("a", "Main", "1")
	w.send(raised("e"))
	w.runFor(30 * time.Second)
	limits := w.delay.Peek()
	if len(limits) != 1 {
		t.Fatalf("%d messages wait, want that of the limit", len(limits))
	}
	limit, err := wire.ParseText(limits[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	if !w.delay.Remove(limits[0].ID) {
		t.Fatal("it is not removed")
	}
	w.clock.Advance(time.Minute)
	both := w.two()
	w.diesBehind(both[0], 1, w.received(limit, 1))
	if failed := both[1].handle(w.received(limit, 1)); len(failed) > 0 {
		t.Fatalf("the twin hands back %v", failed)
	}
	w.orchestrator = both[1]
	w.run()
	w.expectOutput("a", "21")
}

// E-09: two processes have a start that raises an event for the instance which is there.
// One commits the event and dies, the other one lacks a key and lets the start go round.
// When the start is back, minutes later, it sends what was committed.
func TestE09AStartThatGoesRoundSendsWhatItsTwinCommitted(t *testing.T) {
	t.Parallel()
	w := twinWorld(t, true)
	w.start("parent", "Parent", "1")
	w.runFor(time.Minute)
	both := w.two()
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", OnConflict: wire.ConflictUseExisting,
		Events: []wire.StartEvent{{ID: "e", Name: "go", Data: []byte("1")}}}
	w.diesBehind(both[0], 1, w.received(start, 1))
	w.clock.Advance(5 * time.Minute)
	start.Hops = 1
	if failed := both[1].handle(w.received(start, 1)); len(failed) > 0 {
		t.Fatalf("the start hands back %v", failed)
	}
	w.orchestrator = both[1]
	w.run()
	w.expectOutput("parent", "1")
}
