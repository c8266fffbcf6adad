package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// againOf returns a start that restarts the instance if it has ended.
func againOf(id string) wire.Item {
	i := startOf(id)
	i.OnConflict = wire.ConflictRestart
	return i
}

// O-09: the second delivery of a start is handled late. The message was acknowledged while the
// instance ran, so this delivery starts nothing: if its process died, nothing would send the
// messages of its commit.
func TestO09AStartThatADuplicateHasAcknowledgedStartsNothing(t *testing.T) {
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

// O-09: starts that share a batch cause no pause, and neither does a cancel after them. A running
// instance refuses each start; an ended instance restarts with each.
func TestO09StartsThatShareABatchWaitForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == `"s"` {
				return ctx.Await(ctx.ExternalEvent("go"))
			}
			return in, nil
		})
	})
	w.send(startOf("s"))
	startedAt := w.clock.Now()
	for i := range 12 {
		w.send(againOf(fmt.Sprint("r", i)))
	}
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c"})
	for w.step() {
	}
	w.expectStarted("s", store.StatusCancelled)
	for i := range 12 {
		w.send(againOf(fmt.Sprint("n", i)))
	}
	for w.step() {
	}
	w.expectStarted("n11", store.StatusCompleted)
	if n := w.record("a").ExecutionID; n != 13 {
		t.Errorf("it is at execution %d", n)
	}
	if took := w.clock.Now().Sub(startedAt); took > 0 {
		t.Errorf("it took %s", took)
	}
	w.expectQuiet()
}

// If a start that may restart the instance cannot be deleted, it delays the messages after it.
func TestO09AMessageThatIsNotDeletedDelaysTheMessagesAfterIt(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]wire.Item{"of the turn": againOf("s2"), "at the door": func() wire.Item {
		i := againOf("s2")
		i.SentMS = 1 // Too old.
		return i
	}()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := waitingWorld(t)
			w.fifoBatch(1, startOf("s1"))
			failing := true
			w.process().faults.fail = func(call string) error {
				if failing && call == "Delete fifo" {
					return fmt.Errorf("simulated: %w", queue.ErrUnavailable)
				}
				return nil
			}
			w.send(first)
			w.send(eventOf("e1"))
			for w.step() {
			}
			w.expectStarted("s1", store.StatusRunning)
			failing = false
			w.run()
			w.expectStarted("s1", store.StatusCompleted)
			w.expectQuiet()
		})
	}
}
