package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// K-06: a parent's cancel that comes in one batch with its child's start.
func TestAParentsCancelInTheBatchOfTheChildsStartCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", waits("go"))
		w.orchestration("Child", waits("never"))
	})
	w.start("main", "Main", "1")
	w.run()
	parent := &wire.Parent{Instance: "main", ExecutionID: 1, EventID: 9, Token: w.token("main", 9)}
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "child", Name: "Child", Input: []byte("1"), ID: "s", Parent: parent})
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "child", ID: "c", Reason: "no more", Parent: parent})
	other := *parent
	other.Token = "other"
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "second", Name: "Child", Input: []byte("1"), ID: "s", Parent: parent})
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "second", ID: "c", Parent: &other})
	w.runFor(time.Minute)
	w.expectStatus("child", store.StatusCancelled)
	w.expectStatus("second", store.StatusRunning)
}
