package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A terminate ends an execution, and its process dies before it stops the child. The message is
// requeued among processes without the key of that execution, and meanwhile the instance restarts
// with a different key. The child is stopped once a build has both keys.
func TestOpenOperationsOfAnUnreadableExecutionAreSentOnceItIsReadable(t *testing.T) {
	t.Parallel()
	a, b := keyOf(t, "a"), keyOf(t, "b")
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) != `"s1"` {
				return ctx.Await(ctx.ExternalEvent("go"))
			}
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Kid", Instance: "kid"}))
		})
		w.orchestration("Kid", waits("go"))
	})
	w.codecs = setOf(t, a)
	w.send(startOf("s1"))
	w.run()
	w.expectStatus("kid", store.StatusRunning)
	end := wire.Item{Kind: wire.TerminateInstance, Instance: "a", ExecutionID: 1, ID: "end", Reason: "reset"}
	w.diesBehind(w.process(), 1, w.received(end, 1))
	w.expectStatus("a", store.StatusTerminated)

	w.codecs = setOf(t, b)
	w.restart()
	w.give(w.received(end, 2)) // It is requeued, marked as redelivered.
	w.runFor(20 * time.Second) // Within ten seconds the start could come from the other process.
	w.send(againOf("s2"))
	w.runFor(time.Hour)
	w.expectStarted("s2", store.StatusRunning)
	w.expectStatus("kid", store.StatusRunning)
	w.expectDead()

	w.codecs = setOf(t, b, a)
	w.restart()
	w.runFor(time.Hour)
	w.expectStatus("kid", store.StatusTerminated)
	w.expectStarted("s2", store.StatusRunning)
	w.expectQuiet()
}
