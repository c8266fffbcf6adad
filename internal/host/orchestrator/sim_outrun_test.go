package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// K-06: a parent's cancel or terminate that overtakes its child's start, which
// another process is slow to send, ends the child all the same.
func TestWhatEndsAChildMayOvertakeItsStart(t *testing.T) {
	t.Parallel()
	for kind, want := range map[wire.Kind]store.Status{wire.CancelInstance: store.StatusCancelled, wire.TerminateInstance: store.StatusTerminated} {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", waits("go"))
			w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("never")) })
		})
		w.start("main", "Main", "1")
		w.run()
		parent := &wire.Parent{Instance: "main", ExecutionID: 1, EventID: 9, Token: w.token("main", 9)}
		w.send(wire.Item{Kind: kind, Instance: "child", ID: "c", Reason: "no more", Parent: parent})
		w.runFor(time.Minute)
		w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "child", Name: "Child", Input: []byte("1"), ID: "s", Parent: parent})
		w.runFor(10 * time.Minute)
		w.expectStatus("child", want)

		// There is no start: it is acknowledged and counted in the end.
		w.send(wire.Item{Kind: kind, Instance: "none", ID: "c", Parent: parent})
		w.runFor(time.Hour)
		w.expectCount(host.CountMessages, "unknown_instance", 1)
		w.expectDead("misaddressed") // The parent of this test has no child: it hears of its end in vain.
	}
}
