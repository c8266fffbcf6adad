package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// O-04: EventBridge Scheduler drops the request to delete a history, with its dead letter.
// Somebody purges the instance again, and the history is deleted.
func TestO04APurgeThatIsRepeatedSchedulesALostDeletionAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	w.start("a", "Main", "1")
	w.raise("a", "e", "1", "e")
	w.run()
	w.clock.Advance(30 * time.Minute)
	purge := wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "first"}
	w.send(purge)
	w.settleFIFO()
	if n := len(w.timer.Pending()); n != 1 {
		t.Fatalf("%d schedules, want that of the deletion", n)
	}
	for _, s := range w.timer.Pending() {
		if err := w.timer.Cancel(t.Context(), s.Name); err != nil {
			t.Fatal(err)
		}
	}
	w.runFor(2 * time.Hour)
	if len(w.turns("a", 1)) == 0 {
		t.Fatal("the history is gone though its deletion was lost")
	}
	purge.ID = "again"
	w.send(purge)
	w.runFor(2 * time.Hour)
	if turns, err := w.store.Read(t.Context(), "a", 1, 1); len(turns) != 0 || err != nil {
		t.Errorf("%d turns are left: %v", len(turns), err)
	}
}
