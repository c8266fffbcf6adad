package orchestrator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// W-03, W-11: a wake takes a stuck instance on, through continue-as-new, and
// its dispatch fails twice. The wake comes back until all is dispatched.
func TestAWakeComesBackUntilAllThatItCausedIsDispatched(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other-" + strings.Trim(string(in), `"`), Input: in}); err != nil {
			return nil, err
		}
		if string(in) == "1" {
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	}
	for i := range 10 {
		for j := range i {
			w := newWorld(t, func(w *world) {
				w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
				w.orchestration("Other", func(*engine.Context, []byte) ([]byte, error) { return nil, nil })
				w.activityFunc("Step", step)
			})
			w.start("main", "Main", "1")
			for w.step() {
			}
			w.deploy("Main", right)
			sends := 0
			w.beforeSend = func(name string, msgs []queue.Outgoing) error {
				if item, err := wire.Parse([]byte(msgs[0].Body)); err != nil || item.Kind != wire.StartOrchestration && item.Kind != wire.ActivityExecute {
					return err
				}
				if sends++; sends-1 == i || sends-1 == j {
					return fmt.Errorf("send %d: %w", sends-1, queue.ErrUnavailable)
				}
				return nil
			}
			w.runFor(48 * time.Hour)
			if w.expectOutput("main", "21"); t.Failed() {
				t.Fatalf("sends %d and %d failed", j, i)
			}
		}
	}
}
