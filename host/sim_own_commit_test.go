package host

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// M-01, M-04: a batch brings a message back, then a completion, a purge that is
// refused, and an operator's wake. The wake sends again what is open behind the
// completion, not what was open when the batch was begun.
func TestWhatIsSentAgainBehindAnOwnCommitDoesNotHoldWhatItCompleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			a := ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})
			b := ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("2")})
			if _, err := ctx.Await(a); err != nil {
				return nil, err
			}
			return ctx.Await(b)
		})
		w.activityFunc("Step", step)
	})
	w.start("main", "Main", "1")
	w.settleFIFO()

	start := w.delivery(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", Input: []byte("1"), ID: "start-main"})
	start.ReceiveCount = 2
	behind := false
	w.beforeSend = func(name string, msgs []queue.Outgoing) error {
		for _, m := range msgs {
			if item, err := wire.Parse([]byte(m.Body)); err == nil && item.Kind == wire.ActivityExecute && len(w.events("main", 1)) > 3 {
				if behind = true; item.SchedulingEventID != 3 {
					t.Errorf("activity %d is sent again, and is complete", item.SchedulingEventID)
				}
			}
		}
		return nil
	}
	batch := []Delivery{start, w.delivery(w.completed("main", 2, `"one"`)),
		w.delivery(wire.Item{Kind: wire.PurgeInstance, Instance: "main", ID: "purge"}),
		w.delivery(wire.Item{Kind: wire.Wake, Instance: "main", ID: "wake"})}
	if failed := w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, batch); len(failed) > 0 {
		t.Errorf("handed back: %s", strings.Join(failed, " "))
	}
	if !behind {
		t.Error("the wake sent nothing again")
	}
	w.runFor(time.Hour)
	w.expectStatus("main", "completed")
}
