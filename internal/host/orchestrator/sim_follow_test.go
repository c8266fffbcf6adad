package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-03, W-05: an invocation runs one execution of a chain. Messages that come
// back run one each, and their processes die behind the commit. Each of them
// answers for all that followed from its fact, however many executions that are.
func TestAMessageAnswersForExecutionsThatOthersRan(t *testing.T) {
	t.Parallel()
	const events = 8
	w := newWorld(t, func(w *world) {
		w.settings.Turn.Executions = 1
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if len(in) < events {
				return nil, ctx.ContinueAsNew("", append([]byte("1"), in...), nil)
			}
			_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
			return nil, err
		})
		w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	})
	w.start("main", "Main", "1")
	w.run()
	bodies := make([]string, events)
	for i := range bodies {
		bodies[i] = w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: fmt.Sprint("e", i), Data: []byte("1")})
	}
	deliver := func(receives, from, to int, dies bool) {
		p := w.process()
		if w.afterCommit = nil; dies {
			w.afterCommit = func(_ *store.Commit, err error) error {
				p.faults.kill()
				return err
			}
		}
		var batch []platform.Delivery
		for i := from; i < to; i++ {
			batch = append(batch, platform.Delivery{Message: queue.Message{ID: fmt.Sprint("m", i), Body: bodies[i], ReceiveCount: receives}, Source: platform.SourceOrchestrator})
		}
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, batch)
		if p.isDead() {
			p.o.Close()
			w.orchestrator = nil
		}
		w.afterCommit = nil
	}
	deliver(1, 0, events, true)
	for i := 1; i < events; i++ {
		deliver(2, i, i+1, true)
	}
	w.expectStatus("main", store.StatusCompleted)
	if r := w.record("other"); r.Instance != "" {
		t.Fatalf("it was sent: %+v", r)
	}
	deliver(3, 0, events, false)
	w.runFor(time.Hour)
	w.expectOutput("other", "1")
}
