package orchestrator

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// I-06: the instance completes between the two reads of a purge with force. Its
// record never says that it was terminated, and the purge is not refused.
func TestAPurgeWithForceLeavesTheRecordOfWhatCompletesWhileItIsRead(t *testing.T) {
	t.Parallel()
	for name, receives := range map[string]int{"received first": 1, "comes back": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			purgeOfWhatCompletes(t, receives)
		})
	}
}

func purgeOfWhatCompletes(t *testing.T, receives int) {
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return ctx.Await(ctx.ExternalEvent("go"))
		})
	})
	w.start("main", "Main", "1")
	w.run()
	s := &between{Store: w.store}
	watched := &statusWatch{Store: s}
	o := w.another(w.process().cfg.Orchestrations, watched)
	s.happens = func() {
		w.raise("main", "go", "2", "event")
		w.settleFIFO()
	}
	purge := w.delivery(wire.Item{Kind: wire.PurgeInstance, Instance: "main", ID: "purge", Force: true})
	purge.ReceiveCount = receives
	w.handleBeside(o, []platform.Delivery{purge})
	if watched.written {
		t.Error("the record of a completed instance was written again")
	}
	if r := w.record("main"); !r.Purged {
		t.Errorf("the record is %+v", r)
	}
	if end := w.events("main", 1); end[len(end)-1].Kind != history.OrchestrationCompleted {
		t.Errorf("history %s", short(end))
	}
}

// statusWatch notes that a status was written without a commit.
type statusWatch struct {
	store.Store
	written bool
}

func (s *statusWatch) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	s.written = s.written || change.Status != nil
	return s.Store.UpdateRecord(ctx, instance, change)
}
