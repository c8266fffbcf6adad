package orchestrator

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

func TestV02ARecordedVersionThatIsNoLongerDeployed(t *testing.T) {
	t.Parallel()
	version := func(v string) func(o *engine.Orchestration) { return func(o *engine.Orchestration) { o.Version = v } }
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"), version("1.0"))
	w.start("a", "Main", "1")
	w.settleFIFO()

	deployed := w.orchestrations
	w.orchestrations = nil
	w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) {
		t.Error("another version was tried")
		return nil, nil
	}, version("2.0"))
	w.restart()
	w.raise("a", "e", "1", "e-1")
	w.runFor(2 * time.Hour)
	r := w.record("a")
	if r.Status != store.StatusStuck || r.Problem.Kind != string(engine.StuckNotRegistered) {
		t.Fatalf("%s, problem %+v", r.Status, r.Problem)
	}
	for _, want := range []string{`"Main" version "1.0"`, "Main@2.0"} {
		if !strings.Contains(r.Problem.Message, want) {
			t.Errorf("the reason lacks %s: %s", want, r.Problem.Message)
		}
	}

	w.orchestrations = append(w.orchestrations, deployed...)
	w.restart()
	w.run()
	w.expectOutput("a", "[1]")
	w.expectInvariants("a")
}

func TestO03TheLastCustomStatusOfACommittedTurnIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "1" {
			ctx.SetCustomStatus([]byte(`"first"`))
			ctx.SetCustomStatus([]byte(`"second"`))
			if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		_, err := ctx.Await(ctx.ExternalEvent("e"))
		ctx.SetCustomStatus([]byte(`"never seen"`))
		_, _ = ctx.Await(ctx.ExternalEvent("e"))
		return nil, err
	})
	shows := func(when, want string) {
		t.Helper()
		if got := string(w.record("a").CustomStatus); got != want {
			t.Errorf("%s it shows %s, want %s", when, got, want)
		}
	}
	w.start("a", "Main", "1")
	w.settleFIFO()
	shows("after the first turn", `"second"`)
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	shows("after continue-as-new", `"second"`)
	// A turn that lost its commit shows nothing.
	w.beforeCommit = func(*store.Commit) error { return store.ErrConflict }
	w.raise("a", "e", "2", "e-2")
	w.step()
	shows("after a lost commit", `"second"`)
}
