package orchestrator

import (
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-03: a process commits a turn, and runs the inline activity that it asks for.
// Another, which has an operator's wake, does so too, is faster, and dies ahead of
// its dispatch. The one that lost hands its messages back, and they send what follows
// from their turn; also if the result did not fit in, and it made two turns of them.
func TestWhoLosesAnInlineResultSendsWhatTheWinnerHasNot(t *testing.T) {
	t.Parallel()
	for name, halves := range map[string]bool{"a turn": false, "two turns of one that is too large": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whoLosesAnInlineResult(t, halves)
		})
	}
}

func whoLosesAnInlineResult(t *testing.T, halves bool) {
	w := newWorld(t, func(w *world) {
		w.inline = append(w.inline, activities.Activity{Name: "Inline", Source: "test", Func: step})
		w.activityFunc("Step", step)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Input: in, Inline: true})); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
	})
	both := w.two()
	batchOf := func(items ...wire.Item) (batch []platform.Delivery) {
		for i := range items {
			batch = append(batch, platform.Delivery{Message: queue.Message{ID: items[i].ID, Body: w.body(items[i]), Group: "a", ReceiveCount: 1}, Source: platform.SourceOrchestrator})
		}
		return batch
	}
	commits := 0
	w.beforeCommit = func(*store.Commit) error {
		commits++
		if commits == 2 && halves {
			return &store.TooLargeError{Instance: "a", Limit: "a byte"}
		}
		if commits >= 2 {
			w.beforeCommit = func(c *store.Commit) error {
				if !slices.ContainsFunc(c.Turns[0].Events, func(e history.Event) bool { return e.Kind == history.ActivityScheduled }) {
					return nil // the result alone
				}
				w.beforeCommit = nil
				both[1].killAt, both[1].after = both[1].calls+1, false // ahead of its dispatch
				return nil
			}
			both[1].o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, batchOf(wire.Item{Kind: wire.Wake, Instance: "a", ID: "w"}))
		}
		return nil
	}
	items := []wire.Item{{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}}
	if halves {
		items = append(items, wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"})
	}
	w.handleBeside(both[0].o, batchOf(items...))
	if !both[1].isDead() {
		t.Fatal("the other process lives")
	}
	w.orchestrator = both[0]
	w.run()
	w.expectOutput("a", "11")
}

// I-03: two processes have the start, for its visibility ended too early. One commits the
// end of the first execution and dies ahead of its dispatch; the other, for which it is
// the first delivery, goes on through the next ones. The start that comes back sends what
// the first execution asked for, though two others have followed it.
func TestATurnThatWentOnThroughExecutionsIsSentAgainFromItsBeginning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child-" + string(in)}); err != nil {
				return nil, err
			}
			if len(in) < 4 {
				return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
			}
			return ctx.Await(ctx.ExternalEvent("go"))
		})
	})
	both := w.two()
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}
	handle := func(p *orchestratorProcess, receives int) []string {
		d := w.deliveryOf(start)
		d[0].ReceiveCount, d[0].Group = receives, "a"
		return p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, d)
	}
	w.beforeCommit = func(*store.Commit) error {
		w.beforeCommit = nil
		both[1].killAt, both[1].after = both[1].calls+1, false
		return nil
	}
	if handle(both[1], 2); !both[1].isDead() {
		t.Fatal("the other process lives")
	}
	for receives := 1; receives <= 3; receives += 2 {
		if failed := handle(both[0], receives); len(failed) > 0 {
			t.Fatalf("received %d times: handed back %v", receives, failed)
		}
	}
	w.orchestrator = both[0]
	w.run()
	for _, child := range []string{"child-1", "child-11", "child-111", "child-1111"} {
		w.expectOutput(child, "1")
	}
}

// I-03: two processes have the start, which has come back. One runs as many executions as an invocation may,
// sends the wake that goes on with the next one, and its start is deleted. The other goes
// on with that execution, for its own delivery of the start, and dies ahead of the
// dispatch. The wake finds nothing to do, and sends what the other has not.
func TestAWakeThatFindsItsWorkDoneSendsWhatTheOtherProcessHasNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.Turn.Executions = 2
		w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child-" + string(in)}); err != nil {
				return nil, err
			}
			if len(in) < 3 {
				return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
			}
			return ctx.Await(ctx.ExternalEvent("go"))
		})
	})
	both := w.two()
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}
	handle := func(p *orchestratorProcess) {
		d := w.deliveryOf(start)
		d[0].Group, d[0].ReceiveCount = "a", 2
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, d)
	}
	handle(both[0])
	w.beforeCommit = func(*store.Commit) error {
		w.beforeCommit = nil
		both[1].killAt, both[1].after = both[1].calls+1, false
		return nil
	}
	if handle(both[1]); !both[1].isDead() {
		t.Fatal("the other process lives")
	}
	w.orchestrator = both[0]
	w.run()
	for _, child := range []string{"child-1", "child-11", "child-111"} {
		w.expectOutput(child, "1")
	}
}

// I-03: the same, but the slower process goes on in part: it runs the inline activity
// that the wake is for, and dies ahead of the dispatch, with another one open.
func TestAWakeThatFindsItsWorkBegunSendsWhatTheOtherProcessHasNot(t *testing.T) {
	t.Parallel()
	inline := engine.ActivityCall{Name: "Inline", Input: []byte("1"), Inline: true}
	w := inlineWorld(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Activity(inline)); err != nil {
			return nil, err
		}
		step := ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})
		if _, err := ctx.Await(ctx.Activity(inline)); err != nil {
			return nil, err
		}
		return ctx.Await(step)
	})
	w.settings.Turn.InlineTime = 30 * time.Second
	both := w.two()
	handle := func(p *orchestratorProcess, limit time.Duration) {
		d := w.deliveryOf(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")})
		d[0].Group, d[0].ReceiveCount = "a", 2
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(limit)}, d)
	}
	handle(both[0], 20*time.Second)
	w.expectHistory("a", 1, "Started Act(Inline)")
	w.beforeCommit = func(c *store.Commit) error {
		if slices.ContainsFunc(c.Turns[0].Events, func(e history.Event) bool { return e.Name == "Step" }) {
			w.beforeCommit = nil
			both[1].killAt, both[1].after = both[1].calls+1, false
		}
		return nil
	}
	if handle(both[1], time.Minute); !both[1].isDead() {
		t.Fatal("the other process lives")
	}
	w.expectHistory("a", 1, "Started Act(Inline) Done←2 Act(Step) Act(Inline)")
	w.orchestrator = both[0]
	w.run()
	w.expectOutput("a", "11")
}

// I-03: two wakes of an operator are received twice, in a rollout. The process that has them
// last runs the broken code, marks the instance again, and acknowledges them for both. The
// other, whose code is mended, makes no second try of them: if it died behind its commit,
// nobody would send what that asked for. Found by seed 551366 with the bias "torn reads"
// of the simulation.
func TestAWakeThatAnotherHasTriedIsTriedNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", panics)
		w.activityFunc("Step", step)
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	broken := w.process().o
	w.orchestrator = nil // It goes on beside the new one.
	w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	})
	wake := append(w.deliveryOf(wire.Item{Kind: wire.Wake, Instance: "a", ID: "before"}), w.deliveryOf(wire.Item{Kind: wire.Wake, Instance: "a", ID: "again"})...)
	last := slices.Clone(wake)
	for i := range last {
		last[i].ReceiveCount = 2
	}
	for _, o := range []struct {
		*Orchestrator
		batch []platform.Delivery
	}{{broken, last}, {w.process().o, wake}} {
		if failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, o.batch); len(failed) > 0 {
			t.Fatalf("handed back: %v", failed)
		}
		if r := w.record("a"); r.Status != store.StatusStuck || r.Problem.Wake != "again" || r.Problem.Tries != 2 {
			t.Fatalf("it is %s: %+v", r.Status, r.Problem)
		}
	}
	// A wake behind them is another try (seed 210020672, bias "damages").
	behind := append(slices.Clone(last), w.deliveryOf(wire.Item{Kind: wire.Wake, Instance: "a", ID: "behind"})...)
	w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, behind)
	w.run()
	w.expectOutput("a", "11")
}
