package orchestrator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-13: a process takes a wake, clears the mark, and is gone before that is known. The
// wake comes back to code that does not work, which leaves the same mark: it moves
// it all the same, so that the clear loses, and what is parked behind it is waited for.
func TestAWakeThatComesBackMovesTheMarkSoThatALateClearLoses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("e")) })
	w.start("a", "Main", "1")
	w.settleFIFO()
	right := w.orchestrations[0].Func
	w.deploy("Main", panics)
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
	w.settleFIFO()
	stuck := w.record("a")
	registry, err := engine.NewRegistry(engine.Orchestration{Name: "Main", Func: right, Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	s := &lateClear{Store: w.store}
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "sweep-1", Number: stuck.Stamp})
	w.another(registry, s).Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)},
		[]platform.Delivery{{Message: queue.Message{ID: "m", Body: wake, ReceiveCount: 1}, Source: platform.SourceOrchestrator}})
	if s.held == nil {
		t.Fatalf("held: %+v, want the clear", s.held)
	}
	w.deliver("m", wake, 2, platform.SourceOrchestrator, 0)
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	if err := w.store.UpdateRecord(t.Context(), "a", *s.held); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late clear: %v, want a conflict", err)
	}
	w.deploy("Main", right)
	w.runFor(2 * time.Hour)
	w.expectOutput("a", "[1]")
}

// lateClear keeps back a change that takes a mark away.
type lateClear struct {
	store.Store
	held *store.RecordChange
}

func (s *lateClear) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	if change.Problem != nil && *change.Problem == nil {
		s.held = &change
		return store.ErrUnknownOutcome
	}
	return s.Store.UpdateRecord(ctx, instance, change)
}
