package orchestrator

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// M-16, W-11: a message ends an execution as continued-as-new; the first round of
// the next is committed by another process, which dies before its dispatch. The
// message has lost that commit, and is handed back: when it comes again it answers for
// what it began.
func TestAMessageThatLostToAnotherAnswersForWhatItBegan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inline = append(w.inline, activities.Activity{Name: "Inline", Source: "test", Func: step})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "2" {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Input: in, Inline: true})); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		}
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return nil, ctx.ContinueAsNew("", []byte("2"), nil)
	})
	w.activityFunc("Step", step)
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.beforeCommit = func(c *store.Commit) error {
		if c.Turns[0].ExecutionID != 2 {
			return nil
		}
		w.beforeCommit = nil
		// Another process makes this commit, and dies.
		if err := w.store.Commit(t.Context(), *c); err != nil {
			t.Error(err)
		}
		return store.ErrConflict
	}
	w.handleBeside(w.process().o, w.deliveryOf(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "go"}))
	w.run()
	w.expectOutput("a", "21")
	w.expectQuiet()
}
