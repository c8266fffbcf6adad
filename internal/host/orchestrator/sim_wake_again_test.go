package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-13: a turn whose commit landed late was never dispatched, for its message
// had met a stuck instance meanwhile. The wake-up sends the first of its
// actions and dies; the completion of that one is recorded. The wake-up comes
// back, and sends the rest.
func TestAWakeThatComesBackSendsAgainWhatIsOpenBehindAnotherTurn(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.Timer(time.Hour), ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			return in, err
		})
		w.activityFunc("Step", step)
		w.start("a", "Main", "1")
		// The turn is committed, and nothing of it is sent.
		w.process().faults.killAt = 3
		w.step()
		for range 2 { // its message is gone
			w.clock.Advance(3 * time.Minute)
			batch, err := w.fifo.Receive(t.Context(), 10, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range batch {
				if err := w.fifo.Delete(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
		status, number := store.StatusStuck, int64(1)
		problem := &store.Problem{Kind: "panic", Message: "of a build that was deployed meanwhile"}
		if err := w.store.UpdateRecord(t.Context(), "a", store.RecordChange{Status: &status, Problem: &problem, Stamp: &number}); err != nil {
			t.Fatal(err)
		}
		w.sendStandard(wire.Item{Kind: wire.Wake, Instance: "a", ExecutionID: 1, ID: "wake-1", Number: 1})
		p := w.process()
		p.faults.killAt, p.faults.after = killAt, true
		w.run()
		if w.expectOutput("a", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if p.faults.calls < killAt {
			return // it dies no more: every call has been tried
		}
	}
}
