package orchestrator

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-07: a temporary failure to read the previous execution's history does not count as proof that
// the messages of its end were sent.
func TestW07AWakeIsRedeliveredIfThePreviousExecutionCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "1" {
			if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "b", Input: in}); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return waits("go")(ctx, in)
	})
	w.orchestration("Other", waits("go"))
	start := w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "fifo" {
			return queue.ErrUnavailable
		}
		return nil
	}
	w.deliver("m-1", start, 1, platform.SourceOrchestrator, 0)
	w.beforeSend = nil
	if r := w.record("a"); r.ExecutionID != 2 {
		t.Fatalf("at execution %d", r.ExecutionID)
	}
	wake := w.body(wire.Item{Kind: wire.Wake, Instance: "a", ID: "wake"})
	p := w.process()
	reads := 0
	p.faults.fail = func(call string) error {
		if call == "Read" {
			if reads++; reads == 2 {
				return fmt.Errorf("throttled: %w", store.ErrUnavailable)
			}
		}
		return nil
	}
	handle := func(receives int) int {
		return len(p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: "m-2", Body: wake, ReceiveCount: receives}, Source: platform.SourceOrchestrator}}))
	}
	if failed := handle(1); failed != 1 {
		t.Errorf("the wake was acknowledged, %d reads", reads)
	}
	handle(2)
	if n := w.fifo.Counts().Total(); n != 1 {
		t.Errorf("%d starts were sent, want 1", n)
	}
}
