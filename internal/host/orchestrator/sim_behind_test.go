package orchestrator

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-05, rule 11: a start that may kill its process is recorded first, and its
// process dies. An event comes by another queue; the code ends by the start
// alone, so that the event is late. It finds the commit that it brought about
// again, wherever its process dies.
func TestAnEventThatHasParkedArrivalsAnsweredFindsThatCommitAgain(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
				return nil, err
			})
			w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
		})
		start := w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: "s", Input: []byte("1")})
		// Its third call is the commit of the start alone.
		w.deliver("start", start, 4, platform.SourceOrchestrator, 3)
		if turns := w.turns("main", 1); len(turns) != 1 || !turns[0].Parked {
			t.Fatalf("%+v", turns)
		}
		event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "more", ID: "more", Data: []byte("2")})
		died := w.deliver("more", event, 1, platform.SourceOrchestrator, killAt)
		if died {
			w.deliver("more", event, 2, platform.SourceOrchestrator, 0)
		}
		w.runFor(time.Hour)
		if w.expectOutput("other", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// Rule 11, W-13: the commit that answers what was parked is on its way when its
// process dies. Its message comes back, meets a broken build, which marks the
// instance, and is gone. The commit does not land behind the mark: nobody would
// send what it asked for.
func TestALateAnswerOfWhatWasParkedLosesAgainstTheMark(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
		return nil, err
	}
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", right)
		w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	})
	start := w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: "s", Input: []byte("1")})
	w.deliver("start", start, 4, platform.SourceOrchestrator, 3)
	event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "more", ID: "more", Data: []byte("2")})
	var late *store.Commit
	w.beforeCommit = func(c *store.Commit) error {
		if len(c.Turns) == 1 && c.Turns[0].Parked {
			return nil
		}
		copied := *c
		late = &copied
		w.process().faults.kill()
		return errKilled
	}
	w.deliver("more", event, 1, platform.SourceOrchestrator, 0)
	w.beforeCommit = nil
	if late == nil {
		t.Fatal("nothing was answered")
	}
	w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.deliver("more", event, 2, platform.SourceOrchestrator, 0)
	w.expectStatus("main", store.StatusStuck)
	if err := w.store.Commit(t.Context(), *late); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late commit: %v, want a conflict", err)
	}
	w.deploy("Main", right)
	w.runFor(time.Hour)
	w.expectOutput("other", "1")
}

// W-05, W-01: the process that runs an inline activity dies. A timer that nobody
// awaits comes by another queue and runs it in its place; the code ends by that,
// so that the timer is late. It finds the end again, wherever its process dies.
func TestATimerThatTakesOverAnInlineActivityFindsTheEndAgain(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.inline = append(w.inline, activities.Activity{Name: "Step", Func: step, Source: "test"})
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				ctx.Timer(time.Second)
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in, Inline: true})); err != nil {
					return nil, err
				}
				_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
				return nil, err
			})
			w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
		})
		// It dies behind sending the timer.
		w.deliver("start", w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: "s", Input: []byte("1")}), 1, platform.SourceOrchestrator, 3)
		w.expectHistory("main", 1, "Started Timer Act(Step)")
		w.clock.Advance(2 * time.Second)
		fired, err := w.delay.Receive(t.Context(), 1, 0)
		if err != nil || len(fired) != 1 {
			t.Fatal(fired, err)
		}
		if err := w.delay.Delete(t.Context(), fired[0]); err != nil {
			t.Fatal(err)
		}
		died := w.deliver("timer", fired[0].Body, 1, platform.SourceOrchestrator, killAt)
		if died {
			w.deliver("timer", fired[0].Body, 2, platform.SourceOrchestrator, 0)
		}
		w.runFor(time.Hour)
		if w.expectOutput("other", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}
