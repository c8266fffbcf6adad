package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-04: reuse of ids.

// waitingWorld has an orchestration that waits for an event and returns its input.
func waitingWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Await(ctx.ExternalEvent("go"))
			return in, err
		})
	})
}

func startOf(id string) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: id, Input: []byte(`"` + id + `"`)}
}

func purgeOf(id string) wire.Item {
	return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: id, Force: true}
}

// asSent returns what a client sends for these items: a terminate before each purge with force.
func asSent(items ...wire.Item) (sent []wire.Item) {
	for _, i := range items {
		if i.Kind == wire.PurgeInstance && i.Force {
			end := i
			end.Kind, end.ID, end.Force, end.Reason = wire.TerminateInstance, "end-"+i.ID, false, "purged"
			sent = append(sent, end)
		}
		sent = append(sent, i)
	}
	return sent
}

func eventOf(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id}
}

func deliveriesOf(w *world, receives int, from platform.Source, items ...wire.Item) (batch []platform.Delivery) {
	for _, i := range asSent(items...) {
		batch = append(batch, platform.Delivery{Message: queue.Message{ID: "m-" + i.ID, Body: w.body(i), Group: "a", ReceiveCount: receives}, Source: from})
	}
	return batch
}

// give delivers a batch to a process, which must not return any message.
func (w *world) give(batch ...platform.Delivery) {
	w.Helper()
	failed := w.process().o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, batch)
	if len(failed) > 0 && !w.process().isDead() {
		w.Errorf("handed back %v", failed)
	}
}

func (w *world) fifoBatch(receives int, items ...wire.Item) {
	w.Helper()
	w.give(deliveriesOf(w, receives, platform.SourceOrchestrator, items...)...)
}

func (w *world) expectStarted(start string, status store.Status) {
	w.Helper()
	if r := w.record("a"); r.StartID != start || r.Status != status || r.Purged {
		w.Errorf("the record is that of start %q, %q (purged: %t), not of %q, %q", r.StartID, r.Status, r.Purged, start, status)
	}
}

// expectHeld checks for the tombstone of an instance that has not been started since.
func (w *world) expectHeld(start string, freeAt time.Time) {
	w.Helper()
	r := w.record("a")
	if !r.Purged || r.StartID != start || !r.FreeAt.Equal(freeAt) {
		w.Errorf("the record is %+v, not the tombstone of start %q until %s", r, start, freeAt)
	}
	if turns, err := w.store.Read(w.Context(), "a", r.ExecutionID+1, 1); len(turns) > 0 || err != nil {
		w.Errorf("execution %d has begun: %v", r.ExecutionID+1, err)
	}
}
