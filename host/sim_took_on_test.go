package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// M-13, W-05: an event reaches a stuck instance whose code is mended by now, and
// which ends by what was parked before: the event itself would be late. Its
// process dies at any call; the event comes back, and what the end asked for is
// done.
func TestAMessageThatTakesAStuckInstanceOnFindsItsCommitAgain(t *testing.T) {
	t.Parallel()
	child := func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("go")) }
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
			})
			w.orchestration("Child", child)
		})
		w.start("main", "Main", "1")
		w.run()
		w.deploy("Child", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		w.raise("child", "go", "1", "go")
		w.run()
		w.deploy("Child", child)
		event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "more", ID: "more", Data: []byte("2")})
		died := false
		for receives := 1; receives == 1 || died && receives == 2; receives++ {
			p := w.process()
			if receives == 1 {
				p.faults.killAt, p.faults.after = killAt, true
			}
			p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)},
				[]Delivery{{queue.Message{ID: "more", Body: event, ReceiveCount: receives}, SourceDelay}})
			if p.isDead() {
				died = true
				p.o.Close()
				w.orchestrator = nil
			}
		}
		w.runFor(4 * time.Hour)
		if w.expectOutput("main", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}
