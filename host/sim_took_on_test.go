package host

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// M-13, W-05: an event reaches a stuck instance whose code is mended by now, and
// which ends by what was parked before: the event itself would be late. Its
// process dies at any call; the event comes back, and what the end asked for is
// done.
func TestAMessageThatTakesAStuckInstanceOnFindsItsCommitAgain(t *testing.T) {
	t.Parallel()
	child := func(ctx *engine.Context, _ []byte) ([]byte, error) { return ctx.Await(ctx.ExternalEvent("go")) }
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
			})
			w.orchestration("Child", child)
		})
		w.start("main", "Main", "1")
		w.run()
		w.deploy("Child", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		w.raise("child", "go", "1", "go")
		w.run()
		w.deploy("Child", child)
		event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "more", ID: "more", Data: []byte("2")})
		died := w.deliver("more", event, 1, SourceOrchestrator, killAt)
		if died {
			w.deliver("more", event, 2, SourceOrchestrator, 0)
		}
		w.runFor(4 * time.Hour)
		if w.expectOutput("main", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// Rule 11, found by seed 2001479: the message that reaches the mended instance
// would wait behind an inline activity, while what was parked is answered. It is
// recorded ahead of that, and the mark goes when it has been.
func TestAMessageBehindAnInlineActivityIsRecordedBeforeTheInstanceRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inline = []activity.Activity{{Name: "In", Func: func(_ context.Context, in []byte) ([]byte, error) { return in, nil }}}
	})
	right := func(ctx *engine.Context, in []byte) ([]byte, error) {
		a := ctx.Activity(engine.ActivityCall{Name: "In", Input: in, Inline: true})
		if _, err := ctx.Select(false, ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}), ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(a); err != nil {
			return nil, err
		}
		return waits("more")(ctx, in)
	}
	w.orchestration("Main", right)
	w.orchestration("Child", waits("never"))
	w.start("main", "Main", "1")
	// The process dies behind its first commit.
	p := w.process()
	p.faults.killAt, p.faults.after = 2, true
	w.step()
	p.o.Close()
	w.orchestrator = nil
	w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.raise("main", "go", "1", "go")
	w.runFor(10 * time.Minute)
	w.expectStatus("main", store.StatusStuck)
	w.expectHistory("main", 1, "Started Act(In) Child(Child) Sub(go) Ev(go)")
	w.deploy("Main", right)
	recoveries := 0
	w.beforeUpdate = func() {
		if recoveries++; !strings.Contains(short(w.events("main", 1)), "Ev(more)") {
			t.Errorf("its mark goes while history is %s", short(w.events("main", 1)))
		}
	}
	w.raise("main", "more", "2", "more")
	w.settleFIFO()
	w.beforeUpdate = nil
	w.run()
	w.expectOutput("main", "[2]")
	w.expectStatus("child", store.StatusCancelled)
	if recoveries == 0 {
		t.Error("the mark was not taken away")
	}
}
