package orchestrator

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// The reason that the code gives reaches the stopped operations: the activity, and the child, as
// the reason of its cancel. The reason is not lost if a process dies after its commit.
func TestTheReasonOfACancelReachesTheStoppedOperations(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]bool{"at once": false, "by another process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Attempt.CancelCheckAfter = -1 })
			w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				_, err := ctx.Await(ctx.ExternalEvent("never"))
				var cancelled *engine.CancelledError
				if !errors.As(err, &cancelled) {
					return nil, err
				}
				return []byte(`"` + cancelled.Reason + `"`), nil
			})
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				scope, cancel := ctx.WithCancel()
				inner, _ := scope.WithCancel()
				one, two, lost := ctx.Activity(engine.ActivityCall{Name: "Slow"}), inner.Activity(engine.ActivityCall{Name: "Slow"}), ctx.Activity(engine.ActivityCall{Name: "Slow"})
				child := inner.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: []byte("1")})
				go1 := ctx.ExternalEvent("go")
				if _, err := ctx.Select(false, go1, lost); err != nil {
					return nil, err
				}
				if err := one.Cancel("the item was sold"); err != nil {
					return nil, err
				}
				if err := cancel("too late"); err != nil {
					return nil, err
				}
				ctx.Settle(one, two, child)
				return ctx.Await(ctx.ExternalEvent("end"))
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			p := w.process()
			if kill {
				p.faults.die = func() (bool, bool) {
					return p.faults.log[len(p.faults.log)-1] == "Commit", true
				}
			}
			w.raise("a", "go", "1", "e1")
			w.settleFIFO()
			w.clock.Advance(2 * time.Minute)
			w.settleFIFO()
			if p.faults.dead != kill {
				t.Fatalf("the process is dead: %v", p.faults.dead)
			}
			for event, want := range map[int64]string{2: "the item was sold", 3: "too late", 4: ""} {
				s, err := w.stops.State(t.Context(), store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: event})
				if err != nil || !s.Stop || s.StopReason != want {
					t.Errorf("activity %d was asked to stop: %+v, %v; want the reason %q", event, s, err, want)
				}
			}
			w.expectOutput("child", `"too late"`)
		})
	}
}
