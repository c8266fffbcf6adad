package orchestrator

import (
	"context"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// the claim of a finished attempt is updated after the consequences of the attempt are
// stored. If a worker dies at a call between these two steps, the message that it leaves continues
// from there.
func TestA16AClaimIsSettledAfterTheResult(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for killAt := 1; ; killAt++ {
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 4, TimeoutMS: 10_000}))
			runs := 0
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
				if runs++; runs == 1 {
					return nil, fmt.Errorf("refused")
				}
				return []byte("1"), nil
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			p := w.workerProcess()
			p.faults.killAt, p.faults.after = killAt, after
			w.run()
			if r := w.record("a"); r.Status != store.StatusCompleted {
				t.Fatalf("killed at call %d, behind it %t: the instance is %s; history %s", killAt, after, r.Status, short(w.events("a", 1)))
			}
			if w.expectQuiet(); p.faults.calls < killAt {
				break // It no longer dies.
			}
		}
	}
}
