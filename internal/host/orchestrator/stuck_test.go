package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
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
	// Wakes come with growing delays and write no event.
	startedAt := w.clock.Now()
	var times []time.Duration
	stamp := r.Stamp
	for len(times) < 8 {
		w.runFor(time.Minute)
		if n := w.record("a").Stamp; n != stamp {
			stamp = n
			times = append(times, w.clock.Now().Sub(startedAt).Round(time.Second))
			startedAt = w.clock.Now()
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

func TestR14APanicDoesNotAffectOtherInstances(t *testing.T) {
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
