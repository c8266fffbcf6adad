package orchestrator

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A process dies between the commit for a message and the dispatch, and a second message makes a
// turn before the first is redelivered. The first message sends its own turn, which is no longer
// the last one.
func TestARedeliveredMessageResendsTheTurnOfItsFact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			for _, kid := range []string{"first", "second"} {
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
				ctx.Child(engine.ChildCall{Name: "Kid", Instance: kid})
			}
			return ctx.Await(ctx.ExternalEvent("end"))
		})
		w.orchestration("Kid", waits("go"))
	})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s"})
	w.run()
	w.diesBehind(w.process(), 1, w.received(raised("e1"), 1))
	w.restart()
	w.give(w.received(raised("e2"), 1))
	w.run()
	w.expectStatus("second", store.StatusRunning)
	w.restart()
	w.give(w.received(raised("e1"), 2))
	w.run()
	w.expectStatus("first", store.StatusRunning)
	w.expectStatus("a", store.StatusRunning)
	w.expectDead()
}
