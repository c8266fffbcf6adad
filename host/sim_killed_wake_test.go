package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// W-09: an old wake-up, long obsolete, is found to kill its process. Its turn
// marks the instance and dies before the next wake-up is sent. It comes back,
// and sends it.
func TestAnObsoleteWakeThatMarkedTheInstanceSendsTheNext(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("go")) })
		w.start("a", "Main", "1")
		w.run()
		w.restart()
		suspect, number := "old-wake", int64(2)
		if err := w.store.UpdateRecord(t.Context(), "a", store.RecordChange{Suspect: &suspect, WakeNumber: &number}); err != nil {
			t.Fatal(err)
		}
		wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ExecutionID: 1, ID: "wake-1", Number: 1})
		deliver := func(receives int) {
			p := w.process()
			if receives == 5 {
				p.faults.killAt, p.faults.after = killAt, true
			}
			p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)},
				[]Delivery{{queue.Message{ID: suspect, Body: wake, ReceiveCount: receives}, SourceOrchestrator}})
			if p.isDead() {
				p.o.Close()
				w.orchestrator = nil
			}
		}
		deliver(5)
		finished := w.orchestrator != nil
		if !finished {
			deliver(6)
		}
		w.raise("a", "go", "1", "go") // parked, if the instance is stuck
		w.runFor(4 * time.Hour)
		if w.expectOutput("a", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if finished {
			return // it dies no more: every call has been tried
		}
	}
}
