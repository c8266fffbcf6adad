package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// againOf is the start of an instance that begins again if it has ended.
func againOf(id string) wire.Item {
	i := startOf(id)
	i.OnConflict = wire.ConflictBeginAgain
	return i
}

// O-09: the twin of a start comes late. Its message was acknowledged while the instance ran, so
// it begins nothing: nobody would send what it commits, if it died.
func TestO09AStartThatATwinHasAcknowledgedBeginsNothing(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"acknowledged": true, "still its own": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := waitingWorld(t)
			w.fifoBatch(1, startOf("s1"))
			item := againOf("s2")
			if err := w.fifo.Send(t.Context(), queue.Outgoing{Body: w.body(item), Group: "a", DedupID: "s2"}); err != nil {
				t.Fatal(err)
			}
			batch, err := w.fifo.Receive(t.Context(), 1, 0)
			if err != nil || len(batch) != 1 {
				t.Fatal(batch, err)
			}
			if gone {
				if err := w.fifo.Delete(t.Context(), batch[0]); err != nil {
					t.Fatal(err)
				}
			}
			w.fifoBatch(1, eventOf("e1"))
			w.clock.Advance(20 * time.Second)
			failed := w.process().handle(platform.Delivery{Message: batch[0], Source: platform.SourceOrchestrator})
			if gone {
				w.expectStarted("s1", store.StatusCompleted)
			} else {
				w.expectStarted("s2", store.StatusRunning)
			}
			if handedBack := len(failed) > 0; handedBack != gone {
				t.Errorf("handed back %v", failed)
			}
		})
	}
}
