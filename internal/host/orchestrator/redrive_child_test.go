package orchestrator

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// O-10: the code cancels a running child in the same commit in which a redrive copies it. Then the
// execution does not attach itself to the child, but the child is still cancelled, with the given
// reason. The same is true if the process dies after that commit, and if the redrive waits under a
// limit. Nothing is sent to a child that has ended, or to a child that a fork would have started.
func TestO10ACommitThatTakesOverAChildCanCancelIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		kill, ended, fork bool
		// anew: a second redrive continues from the events that the first one copied.
		anew bool
		want string
	}{
		{name: "it runs", want: `"enough"`},
		{name: "the process dies with the commit", kill: true, want: `"enough"`},
		{name: "it has ended meanwhile", ended: true, want: `"went"`},
		{name: "the second redrive cancels it", anew: true, want: `"enough"`},
		{name: "a fork cancels none", fork: true, want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			var mended atomic.Bool
			w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				_, err := ctx.Await(ctx.ExternalEvent("go"))
				var cancelled *engine.CancelledError
				if errors.As(err, &cancelled) {
					return []byte(`"` + cancelled.Reason + `"`), nil
				}
				return []byte(`"went"`), err
			})
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				child := ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: []byte("1")})
				if _, err := ctx.Await(ctx.ExternalEvent("stop")); err != nil {
					return nil, err
				}
				if !mended.Load() {
					return nil, errors.New("not known how to stop")
				}
				return []byte("1"), child.Cancel("enough")
			})
			w.start("a", "Main", "1")
			w.run()
			w.raise("a", "stop", "1", "e1")
			w.run()
			w.expectStatus("a", store.StatusFailed)
			w.expectStatus("child", store.StatusRunning)
			executions := int64(2)
			if c.anew {
				w.send(redriveOf("a", "r1", 0))
				w.run()
				w.expectStatus("a", store.StatusFailed)
				executions++
			}
			if c.ended {
				w.raise("child", "go", "1", "e2")
				w.run()
			}
			mended.Store(true)
			item := redriveOf("a", "r", 0)
			if c.fork {
				item.Instance, item.OnConflict = "f", ""
			}
			if p := w.process(); c.kill {
				p.faults.die = func() (bool, bool) { return p.faults.log[len(p.faults.log)-1] == "Commit", true }
			}
			w.send(item)
			w.run()
			w.expectStatus(item.Instance, store.StatusCompleted)
			if c.want == "" {
				w.expectStatus("child", store.StatusRunning)
			} else {
				w.expectOutput("child", c.want)
			}
			w.expectDead()
			if !c.fork && w.record("a").ExecutionID != executions {
				t.Errorf("a is at execution %d, want %d", w.record("a").ExecutionID, executions)
			}
			w.expectInvariants("child")
		})
	}
}
