package orchestrator

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/store"
)

// slowBatch delivers one batch with a turn of "b", which is done at once, and a turn of "a", whose
// inline activity calls during.
func slowBatch(t *testing.T, during func(w *world)) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.inline = []activities.Activity{{Name: "Slow", Func: func(context.Context, []byte) ([]byte, error) {
		during(w)
		return []byte("1"), nil
	}}}
	w.orchestration("Slow", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Slow", Input: in, Inline: true}))
	})
	w.orchestration("Quick", waits("e"))
	w.start("b", "Quick", "1")
	w.start("a", "Slow", "1")
	return w
}

// One slow turn delays the other groups of its batch for at most ten seconds, not for the whole
// invocation.
func TestAGroupWaitsAtMostTenSecondsForItsBatch(t *testing.T) {
	t.Parallel()
	waited := time.Duration(0)
	w := slowBatch(t, func(w *world) {
		startedAt := w.clock.Now()
		w.raise("b", "e", "7", "e-1")
		for range 40 {
			w.clock.Advance(time.Second)
			batch, err := w.fifo.Receive(w.Context(), 10, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(batch) > 0 && waited == 0 {
				waited = w.clock.Now().Sub(startedAt)
				w.handle(source{"fifo", w.fifo, platform.SourceOrchestrator}, batch)
			}
		}
	})
	w.run()
	w.expectOutput("a", "1")
	w.expectStatus("b", "completed")
	if waited != 10*time.Second {
		t.Errorf("the other group went on after %s, want 10s", waited)
	}
	w.expectQuiet()
	w.expectDead()
	w.expectInvariants("a", "b")
}

// A batch that returns in time costs no request; a late batch costs one request for each waiting
// message.
func TestMessagesAreDeletedEarlyOnlyIfTheirBatchIsLate(t *testing.T) {
	t.Parallel()
	for takes, want := range map[time.Duration]int{9 * time.Second: 0, 30 * time.Second: 1} {
		w := slowBatch(t, func(w *world) { w.clock.Advance(takes) })
		w.run()
		if got := w.counted()["Delete fifo"]; got != want {
			t.Errorf("a turn of %s: %d requests to delete, want %d", takes, got, want)
		}
		w.expectQuiet()
	}
}

// M-10: messages that a late batch has not settled are not deleted, but redelivered.
func TestALateBatchDeletesNothingThatFailed(t *testing.T) {
	t.Parallel()
	refuses := true
	w := slowBatch(t, func(w *world) {
		w.clock.Advance(30 * time.Second)
		if n := w.counted()["Delete fifo"]; n != 0 {
			t.Errorf("%d requests to delete, want none", n)
		}
		refuses = false
	})
	w.beforeCommit = func(c *store.Commit) error {
		if refuses && c.Turns[0].Instance == "b" {
			return fmt.Errorf("a commit of b: %w", store.ErrUnavailable)
		}
		return nil
	}
	w.run()
	if refuses {
		t.Error("the slow activity did not run")
	}
	w.expectStatus("b", store.StatusRunning)
	w.expectOutput("a", "1")
	w.expectQuiet()
}
