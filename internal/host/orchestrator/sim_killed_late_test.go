package orchestrator

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/queue"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-09, W-13: the process that found out a killer died behind writing so, and
// the write lands only when the message has come back, and has been handled.
// It has no effect: nobody would send its wake-up.
func TestAKillerThatIsFoundOutLateIsNotMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
	w.start("main", "Main", "1")
	w.run()
	forged := w.body(wire.Item{Kind: wire.ActivityCompleted, Instance: "main", ExecutionID: 1, SourceEventID: 2, Token: strings.Repeat("0", 32), Result: []byte("0")})
	mark := "killer"
	set := func(id string) {
		if err := w.store.UpdateRecord(t.Context(), "main", store.RecordChange{Suspect: &id, UpdatedAt: w.clock.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	set(mark + deciding.SecondMark)
	s := &lateMark{Store: w.store}
	o := w.another(w.process().cfg.Orchestrations, s)
	o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: mark, Body: forged, ReceiveCount: 4}, Source: platform.SourceOrchestrator}})
	if s.held == nil {
		t.Fatal("the killer was not found out")
	}
	// Another suspect takes the place of the mark, and lives.
	set("another")
	set("")
	if err := w.store.UpdateRecord(t.Context(), "main", *s.held); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late mark: %v, want a conflict", err)
	}
	w.raise("main", "go", "1", "e")
	w.runFor(time.Hour)
	w.expectStatus("main", store.StatusCompleted)
}

// lateMark holds back the change that marks an instance as stuck.
type lateMark struct {
	store.Store
	held *store.RecordChange
}

func (s *lateMark) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	if change.Problem != nil && *change.Problem != nil {
		s.held = &change
		return store.ErrUnknownOutcome
	}
	return s.Store.UpdateRecord(ctx, instance, change)
}
