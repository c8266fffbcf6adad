package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A process is slow with a batch, and the visibility of its messages ends. Another
// receives the first of them, commits what that brings about, and dies ahead of its
// dispatch. What the slow one commits for the others comes behind that, and it sends
// first what the dead one has left: sentence 3 of the protocol, "at most the last turn of
// an instance can be undispatched".

// received is a delivery of an item, from the FIFO queue.
func (w *world) received(item wire.Item, receives int) platform.Delivery {
	w.Helper()
	m := queue.Message{ID: item.ID, Body: w.body(item), Group: "a", ReceiveCount: receives}
	if receives == 1 {
		m.ReceivedAt = w.clock.Now()
	}
	return platform.Delivery{Message: m, Source: platform.SourceOrchestrator}
}

func (p *orchestratorProcess) handle(batch ...platform.Delivery) (handedBack []string) {
	p.w.Helper()
	return p.o.Handle(deadline{p.w.Context(), p.w.clock.Now().Add(p.w.limit)}, batch)
}

func raised(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: id, Data: []byte("1")}
}

// diesBehind lets a process die behind one of the commits that are made for a batch.
func (w *world) diesBehind(p *orchestratorProcess, commit int, batch ...platform.Delivery) {
	w.Helper()
	w.afterCommit = func(_ *store.Commit, err error) error {
		if commit--; err == nil && commit <= 0 {
			p.faults.kill()
		}
		return err
	}
	if p.handle(batch...); !p.isDead() {
		w.Fatal("the process lives")
	}
	w.afterCommit = nil
}

// slowAndOther are two processes, of which the first has begun instance a and has it
// warm.
func (w *world) slowAndOther() [2]*orchestratorProcess {
	w.Helper()
	both := w.two()
	both[0].handle(w.received(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}, 1))
	return both
}

// goOn has a slow process handle two messages as it received them first, and whatever
// comes of that as they come back; then all else that follows.
func (w *world) goOn(slow *orchestratorProcess, first, second wire.Item) {
	w.Helper()
	slow.handle(w.received(first, 1), w.received(second, 1)) // its receipts have no effect any more
	slow.handle(w.received(first, 3), w.received(second, 2))
	w.orchestrator = slow
	w.run()
}

// W-08: what was begun by the dead one is sent.
func TestWhatADeadProcessCommittedIsSentAheadOfNews(t *testing.T) {
	t.Parallel()
	detached := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child"}); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("never"))
	}
	for name, c := range map[string]struct {
		second wire.Item
		warm   bool
	}{
		"an event":           {second: raised("e2")},
		"an event, warm":     {second: raised("e2"), warm: true},
		"a terminate":        {second: wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"}},
		"a purge with force": {second: wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p", Force: true}},
		"an operator's wake": {second: wire.Item{Kind: wire.Wake, Instance: "a", ID: "w"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
				w.orchestration("Main", detached)
			})
			both := w.slowAndOther()
			die := func() { w.diesBehind(both[1], 1, w.received(raised("e1"), 2)) }
			if c.warm {
				w.beforeCommit = func(*store.Commit) error {
					w.beforeCommit = nil
					both[1].o.turns.cache.Clear()
					die()
					return nil
				}
			} else {
				both[0].o.turns.cache.Clear()
				die()
			}
			w.goOn(both[0], raised("e1"), c.second)
			w.expectOutput("child", "1")
		})
	}
}

// The same behind a turn that was too large, of which the dead process has made a half.
func TestWhatADeadProcessCommittedOfAHalfIsSentAheadOfTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			left := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(left)
		})
	})
	both := w.slowAndOther()
	both[0].o.turns.cache.Clear()
	full := func(c *store.Commit) error {
		if len(c.Turns[0].Events) > 3 {
			return &store.TooLargeError{Instance: "a", Limit: "three events"}
		}
		return nil
	}
	w.beforeCommit = full
	w.diesBehind(both[1], 1, w.received(raised("e1"), 2), w.received(raised("e2"), 2))
	w.expectHistory("a", 1, "Started Sub(go) Ev(go) Act(Step) Sub(go)")
	w.goOn(both[0], raised("e1"), raised("e2"))
	w.expectOutput("a", "11")
}

// The same behind a continue-as-new: the completion is late by then, and no duplicate.
func TestWhatADeadProcessWentOnWithIsSentAheadOfNews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "1" {
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
					return nil, err
				}
				return nil, ctx.ContinueAsNew("", []byte("2"), nil)
			}
			if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child"}); err != nil {
				return nil, err
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("never"))
		})
	})
	both := w.slowAndOther()
	both[0].o.turns.cache.Clear()
	completed := w.completed("a", 2, "1")
	completed.ID = "c"
	w.diesBehind(both[1], 2, w.received(completed, 2))
	w.goOn(both[0], completed, raised("e1"))
	w.expectOutput("child", "1")
}

// The same behind a sweeper's wake, which left no fact: the mark that it was for is gone.
func TestWhatADeadProcessTriedForAWakeIsSentAheadOfNews(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
		w.orchestration("Main", panics)
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.deploy("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if _, err := ctx.Detach(engine.ChildCall{Name: "Child", Instance: "child"}); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("never"))
	})
	both := w.two()
	wake := wire.Item{Kind: wire.Wake, Instance: "a", ID: "w", Number: w.record("a").Stamp}
	w.diesBehind(both[1], 1, w.received(wake, 2))
	w.goOn(both[0], wake, raised("e1"))
	w.expectOutput("child", "1")
}

// M-03: a repeat of what was done before the last turn, beside news, sends nothing again.
func TestARepeatBesideNewsStartsNoOtherAttempt(t *testing.T) {
	t.Parallel()
	runs := 0
	w := newWorld(t, func(w *world) {
		w.activityFunc("Step", func(ctx context.Context, in []byte) ([]byte, error) { runs++; return step(ctx, in) })
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range 2 {
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
			}
			left := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(left)
		})
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	p := w.process()
	p.handle(w.received(raised("e1"), 1))
	p.handle(w.received(raised("e2"), 1))
	w.clock.Advance(time.Minute)
	p.handle(w.received(raised("e1"), 1), w.received(raised("e3"), 1))
	w.run()
	if w.expectOutput("a", "11"); runs != 1 {
		t.Errorf("the activity ran %d times", runs)
	}
}
