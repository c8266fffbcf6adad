package orchestrator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// reported returns the problems that the observer received since the last call: "instance/execution
// kind", with the kind "well" for an instance that continues.
func (w *world) reported() []string {
	w.observer.mu.Lock()
	defer w.observer.mu.Unlock()
	var reported []string
	for _, c := range w.observer.problems {
		kind := "well"
		if c.Problem != nil {
			kind = c.Problem.Kind
		}
		if !c.At.Equal(w.clock.Now()) {
			kind += " at " + c.At.String()
		}
		reported = append(reported, fmt.Sprintf("%s/%d %s", c.Instance, c.ExecutionID, kind))
	}
	w.observer.problems = nil
	return reported
}

func (w *world) expectReported(want ...string) {
	w.Helper()
	if got := w.reported(); !slices.Equal(got, want) {
		w.Errorf("the observer was told %q, want %q", got, want)
	}
}

// A wake records no event, but its result is still reported.
func TestTheObserverIsNotifiedOfAProblemWithAndWithoutACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	good := waits("e", "e")
	bad := func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Other", Input: in}))
	}
	w.orchestration("Main", good)
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.expectReported()

	wake := func(id string) {
		w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: id})
		w.settleFIFO()
	}
	w.deploy("Main", bad)
	wake("1")
	w.expectReported("a/1 nondeterminism")
	if p := w.record("a").Problem; p == nil || !strings.Contains(p.Message, "Other") {
		t.Errorf("the problem is %+v", p)
	}
	wake("2")
	w.expectReported("a/1 nondeterminism") // The code was tried again.
	w.deploy("Main", good)
	wake("3")
	w.expectReported("a/1 well")

	w.deploy("Main", bad)
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	w.expectReported("a/1 nondeterminism")
	w.deploy("Main", good)
	w.raise("a", "e", "2", "e-2")
	w.settleFIFO()
	// The end of the instance is sufficient.
	w.expectStatus("a", store.StatusCompleted)
	w.expectReported()

	w.orchestration("AtOnce", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.restart()
	w.start("b", "AtOnce", "1")
	w.settleFIFO()
	w.expectReported("b/1 panic")
}

func TestTheObserverIsNotifiedOfACorruptHistory(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s"))
	damage(w, "a", 1)
	w.restart()
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "1"})
	w.settleFIFO()
	w.expectReported("a/1 corrupt")
}
