package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// What the simulated world brings about too seldom, or not at all.

// W-09: a turn that returns takes back its own mark, not that of another process.
func TestATurnLeavesTheMarkOfAnotherSuspect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits("e", "f")) })
	w.start("a", "Main", "1")
	w.run()
	other := "of another process"
	w.beforeCommit = func(*store.Commit) error {
		return w.store.UpdateRecord(t.Context(), "a", store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: 1}, Suspect: &other, UpdatedAt: w.clock.Now()})
	}
	w.deliver("m", w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte("1"), ID: "e"}), 5, platform.SourceOrchestrator, 0)
	w.expectHistory("a", 1, "Started Sub(e) Ev(e) Sub(f)")
	if r := w.record("a"); r.Suspect != other {
		t.Errorf("the mark is %q, want %q", r.Suspect, other)
	}
}

// W-01: a turn is short of time twice at the same event, within the five minutes for
// which the queue remembers: the wake of the second is another message.
func TestATurnThatIsShortOfTimeTwiceAtOnePlaceGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inline = []activities.Activity{{Name: "Slow", Func: func(context.Context, []byte) ([]byte, error) { return []byte("7"), nil }}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Slow", Inline: true}))
	})
	limit := w.limit
	w.limit = 14 * time.Second // Enough for a turn, not for an inline activity.
	w.start("a", "Main", "7")
	for range 4 {
		if !w.step() {
			t.Fatal("nothing is left to go on with")
		}
	}
	if w.record("a").Status.Terminal() {
		t.Fatal("it was not short of time")
	}
	w.limit = limit
	w.runFor(4 * time.Minute)
	w.expectOutput("a", "7")
}
