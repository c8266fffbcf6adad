package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An unfinished turn that has made a commit is finished by its messages, although their facts are
// in that commit.

func inlineWorld(t *testing.T, code engine.Func, options ...func(*engine.Orchestration)) *world {
	return newWorld(t, func(w *world) {
		w.inline = append(w.inline, activities.Activity{Name: "Inline", Source: "test", Func: step})
		w.activityFunc("Step", step)
		w.orchestration("Main", code, options...)
	})
}

// sweeps skip corrupt instances. When its history is restored, the instance is continued by
// the wake of an interrupted turn, or by a redriven message.
func TestARestoredHistoryContinuesWhereItsTurnStopped(t *testing.T) {
	t.Parallel()
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}
	code := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Input: []byte("1"), Inline: true}))
	}
	damaged := func(w *world, d []platform.Delivery) {
		t.Helper()
		o := w.another(w.process().cfg.Orchestrations, &tornStore{Store: w.store, execution: 1, slot: 1, lost: true, reads: -1})
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, d)
		w.expectStatus("a", store.StatusCorrupt)
	}
	t.Run("a wake", func(t *testing.T) {
		t.Parallel()
		w := inlineWorld(t, code)
		w.settings.Turn.InlineTime, w.limit = 30*time.Second, 20*time.Second
		w.start("a", "Main", "1")
		if !w.step() {
			t.Fatal("the start is not handled")
		}
		w.expectHistory("a", 1, "Started Act(Inline)")
		w.limit = time.Minute
		damaged(w, w.deliveryOf(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "x", Data: []byte("1"), ID: "x"}))
		w.run()
		w.expectOutput("a", "11")
	})
	t.Run("a redriven message", func(t *testing.T) {
		t.Parallel()
		w := inlineWorld(t, code)
		p := w.process()
		w.afterCommit = func(_ *store.Commit, err error) error {
			p.faults.kill()
			return err
		}
		d := w.deliveryOf(start)
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, d)
		w.afterCommit, w.orchestrator = nil, nil
		d[0].ReceiveCount = 2
		damaged(w, d)
		w.expectDead("corrupt")
		d[0].ReceiveCount, d[0].Attributes = 1, map[string]string{wire.RedriveAttribute: "1"}
		w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, d)
		w.run()
		w.expectOutput("a", "11")
	})
}

// ofNewer returns records whose custom status is encoded by a codec of a newer build.
type ofNewer struct{ store.Store }

func (s ofNewer) Describe(ctx context.Context, instance string) (store.Record, error) {
	r, err := s.Store.Describe(ctx, instance)
	r.Codec, r.States = "newer", []byte("sealed")
	return r, err
}

// A turn finds after a commit that it needs the codec of a newer build. Its message is requeued,
// and the newer build continues from there.
func TestATurnThatNeedsANewerBuildContinuesThere(t *testing.T) {
	t.Parallel()
	w := inlineWorld(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Timer(time.Second)); err != nil {
			return nil, err
		}
		if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child"}); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Inline", Input: []byte("1"), Inline: true}))
	})
	w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return nil, nil })
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.change(func(c *Config) { c.Services.Store = ofNewer{w.store} })
	for n := 0; len(w.events("a", 1)) == 2 && n < 8; n++ {
		if next, ok := w.nextDue(); ok {
			w.clock.Advance(max(next.Sub(w.clock.Now()), 0))
		}
		w.step()
	}
	w.expectHistory("a", 1, "Started Timer Fired←2 Chained(Child) Act(Inline)")
	w.restart()
	w.run()
	w.expectOutput("a", "11")
}
