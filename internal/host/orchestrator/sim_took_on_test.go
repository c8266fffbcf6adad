package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
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
		died := w.deliver("more", event, 1, platform.SourceOrchestrator, killAt)
		if died {
			w.deliver("more", event, 2, platform.SourceOrchestrator, 0)
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
