package orchestrator

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-05, P-02: a process sends the commit that ends a child and dies; it would land
// when code that does not work has had the child marked as stuck, and the messages
// of both are gone. Nobody would tell the parent: so the end demands the stamp that
// its writer had read, and loses.
func TestAnEndThatWouldLandBehindAMarkLoses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Parent", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: []byte("1")}))
		})
		w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "2" {
				return []byte("11"), nil
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		})
	})
	w.start("a", "Parent", "1")
	w.run()
	var late *store.Commit
	w.beforeCommit = func(c *store.Commit) error {
		if events := c.Turns[0].Events; events[len(events)-1].Kind != history.OrchestrationCompleted {
			return nil
		}
		late, w.beforeCommit = c, nil
		return store.ErrUnknownOutcome
	}
	w.settings.Turn.CommitAttempts = 1
	w.restart()
	event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "go", Data: []byte("1"), ID: "e"})
	w.deliver("m", event, 1, platform.SourceOrchestrator, 0)
	if late == nil {
		t.Fatal("the child does not end")
	}
	right := w.orchestrations[1].Func
	w.deploy("Child", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.deliver("m", event, 2, platform.SourceOrchestrator, 0)
	w.expectStatus("child", store.StatusStuck)
	if err := w.store.Commit(t.Context(), *late); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("the late end: %v, want a conflict", err)
	}
	w.expectStatus("child", store.StatusStuck)
	w.deploy("Child", right)
	w.runFor(2 * time.Hour)
	w.expectOutput("a", "11")
}
