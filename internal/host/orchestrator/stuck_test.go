package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestR18StuckUntilTheRightCodeIsDeployed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
			return nil, err
		}
		return waits("e", "e", "e")(ctx, in)
	}
	runs := 0
	w.orchestration("Main", first)
	w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
	w.start("a", "Main", "1")
	w.run()
	w.expectHistory("a", 1, "Started Act(Step) Done←2 Sub(e)")
	w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Other", Input: in}))
	})
	for i := range 3 {
		w.raise("a", "e", fmt.Sprint(i), fmt.Sprint("e-", i))
		w.settleFIFO()
	}
	w.expectHistory("a", 1, "Started Act(Step) Done←2 Sub(e) Ev(e) Ev(e) Ev(e)")
	w.expectStatus("a", store.StatusStuck)
	r := w.record("a")
	if r.Problem == nil || r.Problem.Kind != "nondeterminism" || r.Problem.EventID != 2 || !strings.Contains(r.Problem.Message, "Other") {
		t.Fatalf("problem %+v", r.Problem)
	}
	if d := r.Problem.Diff; d == nil || d.Have != `ActivityScheduled("Step", input 1)` || !strings.Contains(d.Did, `ActivityScheduled("Other", input 1)`) || !strings.Contains(d.At, "stuck_test.go:") {
		t.Errorf("where they part: %+v", d)
	}
	// Wake-ups come with growing delay and write no event.
	began := w.clock.Now()
	var times []time.Duration
	stamp := r.Stamp
	for len(times) < 8 {
		w.runFor(time.Minute)
		if n := w.record("a").Stamp; n != stamp {
			stamp = n
			times = append(times, w.clock.Now().Sub(began).Round(time.Second))
			began = w.clock.Now()
		}
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	for i := range want {
		if want[i] *= time.Minute; times[i] != want[i] {
			t.Errorf("wake-up %d came after %s, want %s", i+1, times[i], want[i])
		}
	}
	w.expectHistory("a", 1, "Started Act(Step) Done←2 Sub(e) Ev(e) Ev(e) Ev(e)")
	w.deploy("Main", first)
	w.run()
	w.expectOutput("a", "[0,1,2]")
	if runs != 1 {
		t.Errorf("the activity ran %d times", runs)
	}
	if r := w.record("a"); r.Problem != nil {
		t.Errorf("the mark is still there: %+v", r.Problem)
	}
	w.expectQuiet()
	w.expectInvariants("a")
}

func TestR19WhatCameToRestBeforeThePanicIsDispatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for i := range 3 {
			if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
				return nil, err
			}
			if i == 1 {
				panic("second")
			}
			ctx.Activity(engine.ActivityCall{Name: "A", Input: in})
		}
		return nil, nil
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	for i := range 3 {
		w.raise("a", "e", "1", fmt.Sprint("e-", i))
	}
	w.settleFIFO()
	w.expectHistory("a", 1, "Started Sub(e) Ev(e) Act(A) Sub(e) Ev(e) Ev(e)")
	if n := w.activity.Counts().Total(); n != 1 {
		t.Errorf("%d attempts sent, want that of the first arrival", n)
	}
	r := w.record("a")
	if r.Status != store.StatusStuck || r.Problem.Kind != "panic" || !strings.Contains(r.Problem.Stack, "stuck_test.go") {
		t.Errorf("problem %+v", r.Problem)
	}
}

func TestR14TheNeighboursOfAPanicAreUnaffected(t *testing.T) {
	t.Parallel()
	for _, policy := range []bool{false, true} {
		t.Run(fmt.Sprintf("policy fail %t", policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Turn.FailWhenStuck = policy })
			w.orchestration("Bad", func(ctx *engine.Context, in []byte) ([]byte, error) { panic(errors.New("it broke")) })
			w.orchestration("Good", waits())
			w.start("bad", "Bad", "1")
			w.start("good", "Good", "1")
			w.runFor(time.Second)
			w.expectOutput("good", "[]")
			if policy {
				w.expectHistory("bad", 1, "Started Failed(panic)")
				w.expectStatus("bad", store.StatusFailed)
				return
			}
			w.expectHistory("bad", 1, "Started")
			w.expectStatus("bad", store.StatusStuck)
			w.deploy("Bad", waits())
			w.run()
			w.expectOutput("bad", "[]")
		})
	}
}

func TestO05AnOperatorsWakeOfWhatIsStillWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) { panic("wrong") })
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) { panic("wrong in another way") })
	commits := len(w.observer.committed)
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "w-1"})
	w.settleFIFO()
	r := w.record("a")
	if r.Status != store.StatusStuck || !strings.Contains(r.Problem.Message, "another way") {
		t.Errorf("problem %+v", r.Problem)
	}
	if len(w.observer.committed) != commits {
		t.Error("an event was written")
	}
	page, err := w.store.List(t.Context(), store.ListQuery{Status: store.StatusStuck})
	if err != nil || len(page.Records) != 1 {
		t.Errorf("stuck instances %v, %v", page.Records, err)
	}
	w.deploy("Main", waits())
	w.run()
	w.expectOutput("a", "[]")
	w.expectQuiet()
}

func TestAWakeUpThatWasCommittedAndNotSentIsSentOnRedelivery(t *testing.T) {
	t.Parallel()
	// Killed at each call while the instance is stuck and tried again: a chain
	// of wake-ups always goes on.
	for k := 1; k <= 12; k++ {
		for _, after := range []bool{false, true} {
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) { panic("wrong") })
			w.start("a", "Main", "1")
			w.process().killAt, w.process().after = k, after
			w.runFor(2 * time.Hour)
			w.deploy("Main", waits())
			w.run()
			if r := w.record("a"); r.Status != store.StatusCompleted {
				t.Errorf("killed at call %d, after it %t: %s", k, after, r.Status)
			}
			w.expectQuiet()
		}
	}
}

func TestV07AnEventOfANewerBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.restart()
	w.newer = true
	w.raise("a", "e", "1", "e-1")
	w.runFor(60 * time.Hour)
	w.expectHistory("a", 1, "Started Sub(e)")
	w.expectDead()
	if n := w.delay.Counts().Total(); n != 1 {
		t.Errorf("%d messages go round, want one", n)
	}
	w.newer = false
	w.run()
	w.expectOutput("a", "[1]")
	w.expectQuiet()
}

func TestR08R09ADamagedHistory(t *testing.T) {
	t.Parallel()
	started := func(w *world) history.Event { return w.events("a", 1)[0] }
	for _, c := range []struct {
		name string
		bad  []history.Event
		at   int64
	}{
		{"R-08 a source that names no event", []history.Event{{Kind: history.ActivityCompleted, EventID: 3, SourceEventID: 9}}, 3},
		{"R-08 a source of another kind", []history.Event{{Kind: history.TimerFired, EventID: 3, SourceEventID: 2}}, 3},
		{"R-09 an event behind the end", []history.Event{{Kind: history.OrchestrationCompleted, EventID: 3}, {Kind: history.ExternalEvent, EventID: 4, Name: "e"}}, 4},
		{"R-09 a second start", []history.Event{{Kind: history.OrchestrationStarted, EventID: 3, Start: &history.Start{}}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", chain(1))
			w.start("a", "Main", "1")
			w.settleFIFO()
			_ = started(w)
			if err := w.store.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Token: "x", Events: c.bad}}}); err != nil {
				t.Fatal(err)
			}
			before := short(w.events("a", 1))
			w.restart()
			w.send(w.completed("a", 2, "1"))
			w.raise("a", "e", "1", "e-1")
			w.settleFIFO()
			w.expectHistory("a", 1, before)
			w.expectStatus("a", store.StatusCorrupt)
			w.expectDead("corrupt", "corrupt")
			for _, m := range w.deadFIFO.Peek() {
				if reason := m.Attributes[wire.ReasonAttribute]; !strings.Contains(reason, fmt.Sprintf("event %d", c.at)) {
					t.Errorf("reason %q does not name event %d", reason, c.at)
				}
			}
			if p := w.record("a").Problem; p == nil || p.Kind != "corrupt" || p.EventID != c.at {
				t.Errorf("problem %+v", p)
			}
			w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p", Force: true})
			w.run()
			if !w.record("a").Purged || len(w.turns("a", 1)) > 0 {
				t.Errorf("a forced purge left record %+v", w.record("a"))
			}
		})
	}
}
