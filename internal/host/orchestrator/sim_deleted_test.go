package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// O-04, R-08: an instance that ended long ago is purged, and its history
// deleted, between the read of its record and that of its history. What comes
// back for it is late; nothing is corrupt.
func TestADeletionBetweenTwoReadsIsNoCorruption(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return ctx.Await(ctx.ExternalEvent("go"))
		})
	})
	w.start("main", "Main", "1")
	w.run()
	w.raise("main", "go", "2", "event")
	w.run()
	s := &between{Store: w.store}
	o := w.another(w.process().cfg.Orchestrations, s)
	w.clock.Advance(2 * time.Hour)
	s.happens = func() {
		if err := w.store.Hide(context.Background(), "main", 1, w.clock.Now()); err != nil {
			t.Error(err)
		}
		if _, err := w.store.DeleteHistory(context.Background(), "main", 1, 0); err != nil {
			t.Error(err)
		}
	}
	back := w.delivery(wire.Item{Kind: wire.TerminateInstance, Instance: "main", ID: "terminate"})
	back.ReceiveCount = 2
	w.handleBeside(o, []platform.Delivery{back})
	if n := w.deadFIFO.Counts().Total() + w.deadStandard.Counts().Total(); n > 0 {
		t.Errorf("%d dead letters", n)
	}
}
