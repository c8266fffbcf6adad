package orchestrator

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestO03CustomStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "1" {
			ctx.SetState(history.ListedState, []byte(`"one"`))
			ctx.SetState(history.ListedState, []byte(`"two"`))
			if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return waits("e")(ctx, in)
	})
	lost := true
	w.beforeCommit = func(*store.Commit) error {
		if lost {
			return store.ErrUnavailable
		}
		return nil
	}
	w.start("a", "Main", "1")
	w.settleFIFO()
	if r := w.record("a"); r.States != nil {
		t.Errorf("a turn that lost its commit shows %s", r.States)
	}
	lost = false
	w.run()
	for i := range 3 {
		if r := w.record("a"); string(history.StateNamed(r.States, history.ListedState)) != `"two"` {
			t.Errorf("after %d events: %s", i, r.States)
		}
		w.raise("a", "e", "1", fmt.Sprint("e-", i))
		w.run()
		w.restart()
	}
	w.expectOutput("a", "[1]")
	if got := w.counted()["UpdateRecord"]; got != 0 {
		t.Errorf("%d changes of the record beside commits", got)
	}
}

func TestI06TheRecordFollowsTheHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	startedAt := w.clock.Now()
	w.start("a", "Main", "1")
	w.settleFIFO()
	r := w.record("a")
	if r.Status != store.StatusRunning || r.Name != "Main" || r.ExecutionID != 1 || r.FirstExecution != 1 || r.StartID != "start-a" ||
		!r.CreatedAt.Equal(startedAt) || !r.EndedAt.IsZero() {
		t.Errorf("running: %+v", r)
	}
	w.clock.Advance(5e9)
	ended := w.clock.Now()
	w.raise("a", "e", "1", "e")
	w.run()
	r = w.record("a")
	if r.Status != store.StatusCompleted || string(r.Output) != "[1]" || !r.EndedAt.Equal(ended) || !r.CreatedAt.Equal(startedAt) || r.Name != "Main" {
		t.Errorf("ended: %+v", r)
	}
	w.expectInvariants("a")
}
