package orchestrator

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// O-03: two processes with the instance in their caches take turns. Each sets its own custom status
// every time. The record that each has in its cache already has that status, but the stored record
// has the status of the other process.
func TestO03AStatusThatReturnsIsWrittenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for i := range 6 {
			ctx.SetState(history.ListedState, fmt.Appendf(nil, "%d", i%2))
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
				return nil, err
			}
		}
		return in, nil
	})
	w.activityFunc("Step", step)
	w.start("a", "Main", "1")
	processes := w.two()
	for turn := range 12 { // The worker has every second turn.
		w.orchestrator = processes[turn/2%2]
		if !w.step() {
			t.Fatal("nothing is left to do")
		}
		if got := string(history.StateNamed(w.record("a").States, history.ListedState)); got != fmt.Sprint(turn/2%2) {
			t.Fatalf("after turn %d the status is %s", turn/2, got)
		}
	}
	w.orchestrator = processes[1]
	w.run()
	w.expectOutput("a", "1")
}
