package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// W-13: two processes have one operator's wake at once. The one with the broken
// build arms the next wake-up and deletes the message; the other takes the
// instance on, and dies. The wake-up sends what that one has not.
func TestAWakeUpAnswersForTheOtherCopyOfWhatArmedIt(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
			w.activityFunc("Step", step)
		})
		w.start("a", "Main", "1")
		for w.step() {
		}
		wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
		w.deliver("operator", wake, 1, SourceDelay, 0)
		w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
		died := w.deliver("operator", wake, 1, SourceDelay, killAt)
		w.runFor(4 * time.Hour)
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// W-13: two processes have the wake at once, because it was visible again too
// early; the other has the broken build too, and the answer to its mark is lost:
// it sends no wake-up, and its message is deleted by the first. The wake-up of
// that one sends the one that the mark asks for.
func TestAWakeUpSendsTheOneThatTheOtherCopyHasNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		w.activityFunc("Step", step)
	})
	w.start("a", "Main", "1")
	for w.step() {
	}
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
	handle := func(o *Orchestrator, receives int) {
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "operator", Body: wake, Group: "a", ReceiveCount: receives}, SourceOrchestrator}})
	}
	handle(w.process().o, 1)
	s := &lateMark{Store: w.store}
	o := w.another(w.process().o.Orchestrations, s)
	handle(o, 2)
	if err := w.store.UpdateRecord(t.Context(), "a", *s.held); err != nil {
		t.Fatal(err)
	}
	w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	})
	w.runFor(4 * time.Hour)
	w.expectOutput("a", "11")
}
