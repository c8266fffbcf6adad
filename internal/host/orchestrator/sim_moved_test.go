package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// between is a store that calls a function after a record is read.
type between struct {
	store.Store
	happens func()
}

func (s *between) Describe(ctx context.Context, instance string) (store.Record, error) {
	r, err := s.Store.Describe(ctx, instance)
	if f := s.happens; f != nil {
		s.happens = nil
		f()
	}
	return r, err
}

// handleBeside gives a batch to a process while another process works on the same instance. The
// process repeats its turn, and returns no message.
func (w *world) handleBeside(o *Orchestrator, batch []platform.Delivery) {
	w.Helper()
	if failed := o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, batch); len(failed) > 0 {
		w.Fatalf("handed back: %v", failed)
	}
}

// deliveryOf returns the first delivery of an item.
func (w *world) deliveryOf(item wire.Item) []platform.Delivery {
	w.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		w.Fatal(err)
	}
	return []platform.Delivery{{Message: queue.Message{ID: "delivery-" + item.ID, Body: string(body), ReceiveCount: 1}, Source: platform.SourceOrchestrator}}
}
