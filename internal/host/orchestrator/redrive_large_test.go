package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-10, L-04: what a redrive takes over is in one commit, of 4 MB at most. One that needs more is a
// dead letter that says so, and leaves the instance as it was. From an earlier event it takes
// fewer results over; external events that came behind it stay with it.
func TestO10ARedriveBeyondOneCommitChangesNothing(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 250<<10) + `"`
	for _, c := range []struct {
		name string
		// ahead are the results of 250 KB in what is taken over, behind the external events of 250 KB
		// that came later and stay.
		ahead, behind int
		// fits: the redrive does; earlier: one from an earlier event does.
		fits, earlier bool
	}{
		{"two and a half megabytes", 10, 0, true, true},
		{"three and a half, in what came later too", 7, 6, true, true},
		{"five megabytes", 20, 0, false, true},
		{"five, most of which came later", 2, 18, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			r := counted(w, "Step")
			r.broken["2"] = true
			w.activityFunc("Big", func(context.Context, []byte) ([]byte, error) { return []byte(big), nil })
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				for range c.ahead {
					if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Big", Input: []byte("1")})); err != nil {
						return nil, err
					}
				}
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
					return nil, err
				}
				step := ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("2")})
				for range c.behind {
					ctx.ExternalEvent("e")
				}
				return ctx.Await(step)
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			for i := range c.behind {
				w.raise("a", "e", big, fmt.Sprint("f-", i))
				w.settleFIFO()
			}
			w.run()
			w.expectStatus("a", store.StatusFailed)
			r.broken["2"] = false
			before := w.record("a")
			w.send(redriveOf("a", "r", 0))
			w.run()
			if c.fits {
				w.expectOutput("a", "21")
				w.expectDead()
				return
			}
			w.expectDead(string(wire.ReasonTooLarge))
			if after := w.record("a"); after.Status != before.Status || after.ExecutionID != 1 || after.Stamp != before.Stamp || len(w.events("a", 2)) != 0 {
				t.Errorf("it was %+v, and is %+v", before, after)
			}
			w.send(redriveOf("a", "r2", 2))
			w.run()
			if !c.earlier {
				w.expectDead(string(wire.ReasonTooLarge), string(wire.ReasonTooLarge))
				return
			}
			w.expectOutput("a", "21")
		})
	}
}
