package host

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// W-13: a broken build marks an instance because of a wake, and nobody knows
// whether the mark is in. The wake comes back, meets the right build, and is
// gone. The mark does not land any more: nobody would send its wake-up.
func TestAMarkThatLandsWhenItsMessageIsGoneHasNoEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
	w.start("main", "Main", "1")
	w.run()
	w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	s := &lateMark{Store: w.store}
	o := w.another(w.process().o.Orchestrations, s)
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "main", ID: "operator"})
	deliver := func(o *Orchestrator, receives int) {
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "m", Body: wake, ReceiveCount: receives}, SourceOrchestrator}})
	}
	deliver(o, 1)
	if s.held == nil {
		t.Fatal("the instance was not to be marked")
	}
	w.deploy("Main", waits("go"))
	deliver(w.process().o, 2)
	if err := w.store.UpdateRecord(t.Context(), "main", *s.held); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late mark: %v, want a conflict", err)
	}
	w.raise("main", "go", "1", "go")
	w.runFor(time.Hour)
	w.expectOutput("main", "[1]")
}
