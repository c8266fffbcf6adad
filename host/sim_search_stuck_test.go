package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Rule 11: a warm turn reads the record in its middle, for it sets search
// attributes, and finds the instance stuck. What came leaves no fact, and does
// not take it on.
func TestAWarmTurnThatFindsTheInstanceStuckDoesNotTakeItOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.ContinueLimit = 1
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if err := ctx.SetSearchAttributes(history.SearchAttributes{"round": history.SearchTextOf(string(in))}); err != nil {
				return nil, err
			}
			ctx.Timer(time.Second)
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil || string(in) == "2" {
				return in, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		})
	})
	deliver := func(item wire.Item) { w.deliver(string(item.Kind), w.body(item), 1, SourceOrchestrator, 0) }
	deliver(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: "s", Input: []byte("1")})
	w.clock.Advance(2 * time.Second)
	fired, err := w.delay.Receive(t.Context(), 1, 0)
	if err != nil || len(fired) != 1 {
		t.Fatal(fired, err)
	}
	deliver(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "go", Data: []byte("1")})
	w.expectHistory("main", 2, "Started")
	status, number := store.StatusStuck, w.record("main").WakeNumber+1
	problem := &store.Problem{Kind: problemKilled, Message: "found out by another process"}
	if err := w.store.UpdateRecord(t.Context(), "main", store.RecordChange{Status: &status, Problem: &problem, WakeNumber: &number, UpdatedAt: w.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	w.deliver("timer", fired[0].Body, 1, SourceOrchestrator, 0)
	w.expectStatus("main", store.StatusStuck)
	w.expectHistory("main", 2, "Started")
}
