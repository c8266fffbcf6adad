package orchestrator

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/queue"
)

// M-04: an operator's wake comes in one batch with a completion that comes
// back, and a terminate between them. What the completion's turn has closed is not sent again for the wake.
func TestAWakeDoesNotSendAgainWhatItsOwnBatchHasClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", chain(1))
	w.start("a", "Main", "1")
	w.settleFIFO()
	completed := w.body(w.completed("a", 2, `"done"`))
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"})
	sent := 0
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" {
			sent++
		}
		return nil
	}
	w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{
		{Message: queue.Message{ID: "m1", Body: completed, ReceiveCount: 2}, Source: platform.SourceOrchestrator},
		{Message: queue.Message{ID: "m2", Body: w.body(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "end"}), ReceiveCount: 1}, Source: platform.SourceOrchestrator},
		{Message: queue.Message{ID: "m3", Body: wake, ReceiveCount: 1}, Source: platform.SourceOrchestrator},
	})
	if w.expectHistory("a", 1, "Started Act(Step) Done←2 Completed"); sent != 0 {
		t.Errorf("%d messages for the activity that the first message has completed", sent)
	}
}
