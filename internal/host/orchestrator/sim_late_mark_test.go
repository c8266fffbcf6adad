package orchestrator

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-13: a write of unknown outcome that marks an instance as stuck, or notes in a
// mark that a wake was sent, lands after the instance has been taken on. Neither
// has an effect, for the stamp has gone on.
func TestAMarkThatLandsBehindTheRecoveryHasNoEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.start("a", "Main", "1")
	for w.step() {
	}
	stuck := w.record("a")
	w.deploy("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("go")) })
	w.runFor(2 * time.Hour)
	w.expectStatus("a", store.StatusRunning)
	status, problem := store.StatusStuck, stuck.Problem
	for _, stamp := range []int64{0, stuck.Stamp} {
		err := w.store.UpdateRecord(t.Context(), "a", store.RecordChange{Status: &status, Problem: &problem,
			If: store.RecordCondition{Running: true, Stamp: &stamp}})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("a mark made when the stamp was %d: %v", stamp, err)
		}
	}
}

// W-13: a build that does not work marks an instance because of a wake, and nobody
// knows whether the mark is in. The wake comes back, meets code that works, and is
// gone. The mark lands later: it is a hint, and the next sweep has it cleared.
func TestAMarkThatLandsWhenItsMessageIsGoneIsClearedByASweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
	w.start("main", "Main", "1")
	w.run()
	w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	s := &lateMark{Store: w.store}
	o := w.another(w.process().cfg.Orchestrations, s)
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "main", ID: "operator"})
	deliver := func(o *Orchestrator, receives int) {
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: "m", Body: wake, ReceiveCount: receives}, Source: platform.SourceOrchestrator}})
	}
	deliver(o, 1)
	if s.held == nil {
		t.Fatal("the instance was not to be marked")
	}
	w.deploy("Main", waits("go"))
	deliver(w.process().o, 2)
	if err := w.store.UpdateRecord(t.Context(), "main", *s.held); err != nil {
		t.Fatalf("the late mark: %v", err)
	}
	w.expectStatus("main", store.StatusStuck)
	w.runFor(time.Hour)
	w.expectStatus("main", store.StatusRunning)
	w.raise("main", "go", "1", "go")
	w.run()
	w.expectOutput("main", "[1]")
}
