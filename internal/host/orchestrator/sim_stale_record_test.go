package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// K-07, I-06: a wake finds that a stuck instance goes on, and nothing to append.
// Between its reads and its change of the record another process ends the
// instance: it stays ended.
func TestAChangeOfTheRecordAloneIsNeverMadeFromAStaleHistory(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		a, b := ctx.ExternalEvent("go"), ctx.ExternalEvent("go")
		_, err := ctx.Join(a, b)
		return nil, err
	}
	broken := func(*engine.Context, []byte) ([]byte, error) { panic("broken") }
	w := newWorld(t, func(w *world) { w.orchestration("Main", right) })
	w.start("main", "Main", "1")
	w.run()
	w.deploy("Main", broken)
	w.raise("main", "go", "1", "e")
	w.step()
	w.expectStatus("main", store.StatusStuck)
	w.clock.Advance(2 * time.Minute)
	registry, err := engine.NewRegistry(engine.Orchestration{Name: "Main", Func: right, Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	s := &betweenRead{Store: w.store}
	o := w.another(registry, s)
	s.happens = func() {
		w.deliver("t", w.body(wire.Item{Kind: wire.TerminateInstance, Instance: "main", ID: "t"}), 2, platform.SourceOrchestrator, 0)
	}
	o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, w.deliveryOf(wire.Item{Kind: wire.Wake, Instance: "main", Number: 1, ID: "wake"}))
	w.expectStatus("main", store.StatusTerminated)
}
