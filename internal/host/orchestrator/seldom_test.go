package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// Situations that the simulated world reaches too rarely, or never.

// W-01: a turn runs out of time twice at the same event, within the five minutes in which the queue
// remembers deduplication ids. The second wake is a different message.
func TestATurnThatRunsOutOfTimeTwiceAtTheSamePlaceContinues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inline = []activities.Activity{{Name: "Slow", Func: func(context.Context, []byte) ([]byte, error) { return []byte("7"), nil }}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Slow", Inline: true}))
	})
	limit := w.limit
	w.limit = 14 * time.Second // Enough for a turn, but not for an inline activity.
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
