package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// loops registers orchestrations that continue forever without a pause, and starts them.
var loops = map[string]func(w *world){
	"continue as new at once": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) { return nil, ctx.ContinueAsNew("", in, nil) })
		w.start("a", "Main", "1")
	},
	"two that signal each other": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range 5 {
				if _, err := ctx.Await(ctx.ExternalEvent("ball")); err != nil {
					return nil, err
				}
				other := map[string]string{"a": "b", "b": "a"}[ctx.Info().Instance]
				if err := ctx.RaiseEvent(other, "ball", []byte("1"), nil); err != nil {
					return nil, err
				}
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		w.start("a", "Main", "1")
		w.start("b", "Main", "1")
		w.raise("a", "ball", "1", "serve")
	},
	"a detached start of oneself": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Detach(engine.ChildCall{Name: "Main", Input: in})
			return in, err
		})
		w.start("a", "Main", "1")
	},
	"children that do nothing": func(w *world) {
		w.orchestration("Child", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: in})); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		w.start("a", "Main", "1")
	},
	"an activity that takes no time": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		w.activityFunc("Step", step)
		w.start("a", "Main", "1")
	},
	"an activity that fails at once": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Fails"})); err == nil {
				return nil, errors.New("it has not failed")
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		w.activityFunc("Fails", fails)
		w.start("a", "Main", "1")
	},
	"timers of no time": func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Timer(0)); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", in, nil)
		})
		w.start("a", "Main", "1")
	},
}

// commits returns the number of commits.
func (w *world) commits() (n int) { return len(w.observer.committed) }

// L-07: a loop without a pause is slowed more and more beyond the depth, counted, and noted in the
// record. No code and no message is lost.
func TestL07ALoopWithoutAPauseIsSlowed(t *testing.T) {
	t.Parallel()
	for name, start := range loops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Loop.Depth = 40 })
			start(w)
			w.runFor(5 * time.Second)
			begun := w.commits()
			if begun < 20 || begun > 200 {
				t.Errorf("%d commits in the first 5 seconds, want about 40", begun)
			}
			w.runFor(24 * time.Hour)
			if day := w.commits() - begun; day < 50 || day > 1000 {
				t.Errorf("%d commits in a day, want about one in a quarter of an hour for each", day)
			}
			looped := w.record("a").LoopedAt
			if strings.Contains(name, "detached") {
				looped = w.clock.Now() // Each instance is new.
			}
			if w.clock.Now().Sub(looped) > time.Hour {
				t.Errorf("the record says that it was slowed last at %s, and it is %s", looped, w.clock.Now())
			}
			if n := w.observer.counts[string(host.CountLooping)+" message"] + w.observer.counts[string(host.CountLooping)+" continue as new"]; n < 50 {
				t.Errorf("%d pauses were counted", n)
			}
			w.expectDead()
		})
	}
}

// L-07: with the setting, the loop fails instead of being slowed.
func TestL07ALoopWithoutAPauseFails(t *testing.T) {
	t.Parallel()
	for name, start := range loops {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Loop = host.LoopSettings{Depth: 40, Fail: true} })
			start(w)
			w.runFor(time.Hour)
			failed, err := w.store.List(context.Background(), store.ListQuery{Status: store.StatusFailed})
			if err != nil || len(failed.Records) == 0 {
				t.Fatalf("nothing has failed: %v", err)
			}
			if f := failed.Records[0].Failure; f.Kind != history.FailureLimit || !strings.Contains(f.Message, "without a pause") {
				t.Errorf("it failed with %+v", f)
			}
			if n := w.commits(); n > 200 {
				t.Errorf("%d commits", n)
			}
			if n := w.observer.counts[string(host.CountLooping)+" failed"]; n == 0 {
				t.Error("it was not counted")
			}
			w.expectDead()
		})
	}
}

// L-07: turns that follow a pause, an outside message or a fan-out are not a loop, however many
// there are.
func TestL07CodeThatDoesNotLoopIsNotSlowed(t *testing.T) {
	t.Parallel()
	again := func(do func(ctx *engine.Context) error) engine.Func {
		return func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "30" {
				return in, nil
			}
			if err := do(ctx); err != nil {
				return nil, err
			}
			var n int
			fmt.Sscan(string(in), &n)
			return nil, ctx.ContinueAsNew("", fmt.Append(nil, n+1), nil)
		}
	}
	for name, start := range map[string]func(w *world){
		"activities": func(w *world) {
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Takes a second", Input: []byte("1")}))
				return err
			}))
			w.start("a", "Main", "1")
		},
		"activities that take a second together": func(w *world) {
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				for range 12 {
					if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Takes 0.1 s", Input: []byte("1")})); err != nil {
						return err
					}
				}
				return nil
			}))
			w.start("a", "Main", "1")
		},
		"hundreds of activities in one execution": func(w *world) {
			w.orchestration("Main", chain(300))
			w.start("a", "Main", "1")
		},
		"messages of a client that each have an activity": func(w *world) {
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
					return err
				}
				_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")}))
				return err
			}))
			w.start("a", "Main", "1")
			w.run()
			for i := range 30 {
				w.raise("a", "e", "1", fmt.Sprint("e", i))
				w.run()
			}
		},
		"messages to others after activities": func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				for range 30 {
					if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
						return nil, err
					}
					if _, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")})); err != nil {
						return nil, err
					}
				}
				return in, nil
			})
			w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			})
			w.start("a", "Main", "1")
		},
		"timers": func(w *world) {
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				_, err := ctx.Await(ctx.Timer(time.Second))
				return err
			}))
			w.start("a", "Main", "1")
		},
		"messages of a client": func(w *world) {
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				_, err := ctx.Await(ctx.ExternalEvent("e"))
				return err
			}))
			w.start("a", "Main", "1")
			w.settleFIFO()
			for i := range 30 {
				w.raise("a", "e", "1", fmt.Sprint("e", i))
				w.settleFIFO()
			}
		},
		"children that work": func(w *world) {
			w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			})
			w.orchestration("Main", again(func(ctx *engine.Context) error {
				_, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: []byte("1")}))
				return err
			}))
			w.start("a", "Main", "1")
		},
		"many children of one turn": func(w *world) {
			w.orchestration("Child", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				children := make([]*engine.Future, 300)
				for i := range children {
					children[i] = ctx.Child(engine.ChildCall{Name: "Child", Input: in})
				}
				_, err := ctx.Settle(children...)
				return in, err
			})
			w.start("a", "Main", "1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Loop.Depth = 5 })
			w.activityFunc("Step", step)
			for name, takes := range map[string]time.Duration{"Takes a second": time.Second, "Takes 0.1 s": 100 * time.Millisecond} {
				w.activityFunc(name, func(ctx context.Context, in []byte) ([]byte, error) { return in, w.clock.Sleep(ctx, takes) })
			}
			start(w)
			w.run()
			w.expectStatus("a", store.StatusCompleted)
			for counter, n := range w.observer.counts {
				if strings.HasPrefix(counter, string(host.CountLooping)) {
					t.Errorf("%s: %d", counter, n)
				}
			}
			w.expectQuiet()
		})
	}
}

// A message from outside that is handled in the batch of a loop's message neither hides the loop
// nor counts as part of it: the depth of a sent message depends on the arrival that caused it.
func TestTheDepthCountsRoundsNotBatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for _, name := range []string{"deep", "fresh"} {
			if _, err := ctx.Await(ctx.ExternalEvent(name)); err != nil {
				return nil, err
			}
			if err := ctx.RaiseEvent("nobody-"+name, "e", []byte("1"), nil); err != nil {
				return nil, err
			}
		}
		return in, nil
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "deep", ID: "d", Depth: 70})
	w.send(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "fresh", ID: "f"})
	w.step()
	depths := map[string]int{}
	for _, m := range w.fifo.Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		depths[item.Instance] = item.Depth
	}
	if depths["nobody-deep"] != 71 || depths["nobody-fresh"] != 1 {
		t.Errorf("depths %v, want 71 behind the deep message and 1 behind the other", depths)
	}
}

// Instances that exchange no messages with other instances carry no depth in their messages.
func TestAChainOfActivitiesCarriesNoDepth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", chain(3))
	w.activityFunc("Step", step)
	sent := 0
	w.start("a", "Main", "1")
	for w.step() {
		for _, s := range w.sources() {
			for _, m := range s.queue.Peek() {
				if sent++; strings.Contains(m.Body, `"depth"`) {
					t.Errorf("%s", m.Body)
				}
			}
		}
	}
	if sent == 0 {
		t.Error("no message was looked at")
	}
}
