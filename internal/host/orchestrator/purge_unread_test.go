package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/queue"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// withKey replaces the processes with processes that have only that key.
func (w *world) withKey(id string) {
	w.Helper()
	w.codecs = setOf(w, keyOf(w, id))
	w.restart()
}

// Deleting a hidden history does not require reading it.
func TestAnUnreadableHistoryIsDeleted(t *testing.T) {
	t.Parallel()
	for _, receives := range []int{1, 2} {
		for name, from := range map[string]platform.Source{"fifo": platform.SourceOrchestrator, "delay": platform.SourceOrchestrator} {
			t.Run(name, func(t *testing.T) {
				w := waitingWorld(t)
				w.withKey("a")
				w.fifoBatch(1, startOf("s1"), purgeOf("p"))
				w.clock.Advance(2 * time.Hour)
				w.withKey("b") // The key is lost.
				item := wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "delete-1", UpToExecution: 1, NotBeforeMS: 1}
				w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: "d", Body: w.body(item), Group: "a", ReceiveCount: receives}, Source: from}})
				w.idle = 100 * time.Hour
				w.runFor(72 * time.Hour)
				turns, err := w.store.Read(t.Context(), "a", 1, 1)
				if len(turns) > 0 {
					t.Errorf("receives %d: %d turns are left behind three days, %v; %v", receives, len(turns), err, w.observer.counts)
				}
				w.expectQuiet()
			})
		}
	}
}

// An ended instance can be purged without its key.
func TestAnEndedInstanceWhoseKeyIsLostCanBePurged(t *testing.T) {
	t.Parallel()
	w := endedUnderAnotherKey(t)
	unforced := purgeOf("p")
	unforced.Force = false
	w.fifoBatch(1, unforced)
	w.runFor(72 * time.Hour)
	r, err := w.store.Describe(t.Context(), "a")
	if !r.Purged {
		t.Errorf("%+v %v %v", r, err, w.observer.counts)
	}
}

// endedUnderAnotherKey returns a world with an instance a that ended under the key "a", and a
// process that has only the key "b".
func endedUnderAnotherKey(t *testing.T) *world {
	w := waitingWorld(t)
	w.withKey("a")
	w.fifoBatch(1, startOf("s1"), eventOf("e"))
	w.withKey("b")
	return w
}

// A redelivered purge needs no key either: it has committed nothing that could have unsent
// messages.
func TestARedeliveredPurgeNeedsNoKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		receives int
		mark     map[string]string
	}{
		"received twice": {2, nil},
		"redriven":       {1, map[string]string{wire.RedriveAttribute: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := endedUnderAnotherKey(t)
			unforced := purgeOf("p")
			unforced.Force = false
			w.give(platform.Delivery{Message: queue.Message{ID: "m-p", Body: w.body(unforced), Group: "a", ReceiveCount: c.receives, Attributes: c.mark}, Source: platform.SourceOrchestrator})
			w.expectHeld("s1", w.clock.Now().Add(deciding.IDHeld))
		})
	}
}

// K-07: the terminate that a client sends before a purge with force may have ended the instance in
// a process that died before its dispatch. A process without the key does not know which operations
// are open. Both messages are requeued, and the purge, which may arrive first, waits for the key.
func TestAForcedPurgeOfAnEndedInstanceWaitsForTheKey(t *testing.T) {
	t.Parallel()
	for name, receives := range map[string]int{"it comes again": 2, "another process may have it": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := endedUnderAnotherKey(t)
			w.fifoBatch(receives, purgeOf("p"))
			w.runFor(24 * time.Hour)
			w.expectCount(host.CountMessages, "purged", 0)
			w.withKey("a")
			w.runFor(24 * time.Hour)
			if !w.record("a").Purged {
				t.Errorf("it is not purged: %v", w.observer.counts)
			}
		})
	}
}

// If a purge is requeued for a newer build, the start after it is still refused.
func TestAStartAfterAPurgeThatWaitsForANewerBuildIsRefused(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s1"), eventOf("e"))
	w.restart()
	w.newer = true
	w.idle = 100 * time.Hour
	w.give(append(deliveriesOf(w, 2, platform.SourceOrchestrator, purgeOf("p")), deliveriesOf(w, 1, platform.SourceOrchestrator, startOf("s2"))...)...)
	w.newer = false
	w.restart()
	w.runFor(72 * time.Hour)
	if r := w.record("a"); r.StartID != "s1" || !r.Purged {
		t.Errorf("%+v %v", r, w.observer.counts)
	}
}
