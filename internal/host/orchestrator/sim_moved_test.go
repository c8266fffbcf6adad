package orchestrator

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// between is a store that lets something happen behind a description.
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

// N-02, K-07: the instance continues as new between the read of its record and
// that of its history. What comes for the instance is for the new execution.
func TestNothingIsLateForAnInstanceThatContinuesAsNewWhileItIsRead(t *testing.T) {
	t.Parallel()
	for name, item := range map[string]wire.Item{
		"an event":    {Kind: wire.ExternalRaised, Instance: "main", Name: "go", Data: []byte("2"), ID: "second"},
		"a cancel":    {Kind: wire.CancelInstance, Instance: "main", ID: "cancel"},
		"a terminate": {Kind: wire.TerminateInstance, Instance: "main", ID: "terminate"},
	} {
		for _, from := range []string{"fifo", "delay"} {
			t.Run(name+" from "+from, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(w *world) {
					w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
						got, err := ctx.Await(ctx.ExternalEvent("go"))
						if err != nil || string(in) == "again" || string(got) == "2" {
							return got, err
						}
						return nil, ctx.ContinueAsNew("", []byte(`"again"`), nil)
					})
				})
				w.start("main", "Main", "1")
				w.run()
				s := &between{Store: w.store}
				o := w.another(w.process().cfg.Orchestrations, s)
				source := source{"fifo", w.fifo, platform.SourceOrchestrator}
				if from == "delay" {
					w.sendStandard(item)
					w.step() // It is sent on.
				} else {
					w.send(item)
				}
				batch, err := source.queue.Receive(t.Context(), 1, 0)
				if err != nil || len(batch) != 1 {
					t.Fatal(batch, err)
				}
				s.happens = func() {
					first := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: "main", Name: "go", Data: []byte("1"), ID: "first"}
					body, err := first.Encode()
					if err != nil {
						t.Fatal(err)
					}
					w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)},
						[]platform.Delivery{{Message: queue.Message{ID: "m", Body: string(body), Group: "main", ReceiveCount: 1}, Source: platform.SourceOrchestrator}})
				}
				failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: batch[0], Source: source.from}})
				if err := queue.Settle(t.Context(), source.queue, batch, failed); err != nil {
					t.Fatal(err)
				}
				w.run()
				if r := w.record("main"); !r.Status.Terminal() || r.ExecutionID != 2 {
					t.Errorf("the instance is %s at execution %d", r.Status, r.ExecutionID)
				}
			})
		}
	}
}

// betweenRead is a store that lets something happen behind a read.
type betweenRead struct {
	store.Store
	happens func()
}

func (s *betweenRead) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	turns, err := s.Store.Read(ctx, instance, executionID, from)
	if f := s.happens; f != nil {
		s.happens = nil
		f()
	}
	return turns, err
}

// handleBeside has a process handle a batch while another one is at work on its instance:
// it makes its turn again, and hands nothing back.
func (w *world) handleBeside(o *Orchestrator, batch []platform.Delivery) {
	w.Helper()
	if failed := o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, batch); len(failed) > 0 {
		w.Fatalf("handed back: %v", failed)
	}
}

// deliveryOf is a first delivery of an item.
func (w *world) deliveryOf(item wire.Item) []platform.Delivery {
	w.Helper()
	item.V = wire.Version
	body, err := item.Encode()
	if err != nil {
		w.Fatal(err)
	}
	return []platform.Delivery{{Message: queue.Message{ID: "delivery-" + item.ID, Body: string(body), ReceiveCount: 1}, Source: platform.SourceOrchestrator}}
}
