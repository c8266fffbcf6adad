package orchestrator

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// lateMarks is a store in which the mark of a suspect lands only when land is
// called, behind its process's death.
type lateMarks struct {
	store.Store
	land []func() error
}

func (s *lateMarks) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	if c.Suspect != nil && *c.Suspect != "" {
		s.land = append(s.land, func() error { return s.Store.UpdateRecord(ctx, instance, c) })
		return store.ErrUnknownOutcome
	}
	return s.Store.UpdateRecord(ctx, instance, c)
}

// W-09: the mark of a suspect that lands when the instance has ended is not set.
func TestASuspectIsNotMarkedOnAFinishedInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
	w.start("main", "Main", "1")
	w.run()
	registry := w.process().cfg.Orchestrations
	late := &lateMarks{Store: w.store}
	o := w.another(registry, late)
	w.raise("main", "go", "1", "e")
	batch, err := w.fifo.Receive(t.Context(), 1, 0)
	if err != nil || len(batch) != 1 {
		t.Fatal(batch, err)
	}
	again := batch[0]
	again.ReceiveCount = 4
	o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: again, Source: platform.SourceOrchestrator}})
	if len(late.land) == 0 {
		t.Fatal("no suspect was marked")
	}
	w.handle(source{"fifo", w.fifo, platform.SourceOrchestrator}, []queue.Message{batch[0]})
	w.expectStatus("main", store.StatusCompleted)
	if err := late.land[0](); err == nil {
		t.Error("the mark landed on a finished instance")
	}
	if r := w.record("main"); r.Suspect != "" {
		t.Errorf("it has the mark of %s", r.Suspect)
	}
}
