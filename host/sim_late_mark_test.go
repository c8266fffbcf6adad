package host

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// W-13: a write of unknown outcome that marks an instance as stuck lands after
// the instance has been taken on. It must not mark it again, with no wake-up
// behind the mark; so the number of the wake-ups never returns to what it was.
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
	seen := map[int64]bool{0: true, stuck.WakeNumber: true}
	if now := w.record("a").WakeNumber; seen[now] {
		t.Fatalf("the number of the wake-ups is %d again", now)
	}
	status, problem := store.StatusStuck, stuck.Problem
	for number := range seen {
		err := w.store.UpdateRecord(t.Context(), "a", store.RecordChange{Status: &status, Problem: &problem,
			If: store.RecordCondition{Running: true, WakeNumber: &number}})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("a mark made when the number was %d: %v", number, err)
		}
	}
}
