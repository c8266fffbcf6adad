package host

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// copiedWorld has orchestrations that something is to be dispatched of.
func copiedWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Steps", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")}))
		})
		w.orchestration("Rounds", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "2" {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")}))
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		})
		w.orchestration("Loop", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if _, err := ctx.Detach(engine.ChildCall{Name: "Ends", Instance: "detached" + string(in), Input: in}); err != nil || string(in) == "3" {
				return in, err
			}
			return nil, ctx.ContinueAsNew("", []byte{in[0] + 1}, nil)
		})
		w.orchestration("Ends", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return []byte("11"), nil
		})
		w.orchestration("Parent", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			v, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Ends", Instance: "child", Input: []byte("1")}))
			if err != nil {
				return []byte("11"), nil // The child was terminated.
			}
			return v, nil
		})
	})
}

// W-03: a standard queue hands out a message twice at once. The process that has
// the first copy dies behind any of its calls; the other has the message as its
// first delivery too, and deletes it. Whatever followed is done.
func TestACopyAnswersForWhatTheProcessOfTheOtherHasNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, root string
		item        wire.Item
	}{
		"an event":                          {"Steps", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"}},
		"an event that continues as new":    {"Rounds", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"}},
		"an event that ends a child":        {"Parent", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "go", Data: []byte("1"), ID: "e"}},
		"a terminate of a child":            {"Parent", "a", wire.Item{Kind: wire.TerminateInstance, Instance: "child", ID: "t", Reason: "enough"}},
		"a purge with force of what it has": {"Parent", "a", wire.Item{Kind: wire.PurgeInstance, Instance: "child", ID: "p", Force: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for killAt := 1; ; killAt++ {
				w := copiedWorld(t)
				w.start(c.root, c.start, "1")
				w.settleFIFO()
				w.settleFIFO()
				body := w.body(c.item)
				died := w.deliver("m", body, 1, SourceDelay, killAt)
				w.deliver("m", body, 1, SourceDelay, 0)
				w.run()
				if w.expectOutput(c.root, "11"); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if !died {
					return // Every call has been tried.
				}
			}
		})
	}
}

// W-11: meanwhile other messages have let the instance continue as new, twice,
// and end.
func TestACopyIsKnownBehindFurtherExecutions(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := copiedWorld(t)
		w.start("a", "Loop", "1")
		w.settleFIFO()
		event := func(id string) string {
			return w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id})
		}
		if !w.deliver("m", event("m"), 1, SourceDelay, killAt) {
			return // Every call has been tried.
		}
		w.deliver("n", event("n"), 1, SourceOrchestrator, 0)
		w.deliver("o", event("o"), 1, SourceOrchestrator, 0)
		w.deliver("m", event("m"), 1, SourceDelay, 0)
		w.run()
		w.expectOutput("a", "3")
		for _, name := range []string{"detached1", "detached2", "detached3"} {
			if _, err := w.store.Describe(t.Context(), name); err != nil {
				t.Fatalf("killed behind call %d: %s was not started: %v", killAt, name, err)
			}
		}
	}
}

// W-09: a wake of a stuck instance arms the next one, which leaves no commit,
// and its process dies. The copy sends the wake-up.
func TestACopyOfAWakeSendsTheWakeUpThatTheOtherHasArmed(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
			w.activityFunc("Step", step)
		})
		w.start("a", "Main", "1")
		for w.step() {
		}
		w.clock.Advance(time.Hour)
		wakes, err := w.delay.Receive(t.Context(), 1, 0)
		if err != nil || len(wakes) != 1 {
			t.Fatal(wakes, err)
		}
		died := w.deliver(wakes[0].ID, wakes[0].Body, 1, SourceDelay, killAt)
		w.deliver(wakes[0].ID, wakes[0].Body, 1, SourceDelay, 0)
		if err := w.delay.Delete(t.Context(), wakes[0]); err != nil {
			t.Fatal(err)
		}
		w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
		w.runFor(4 * time.Hour)
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return
		}
	}
}

// W-09: a wake-up takes a stuck instance on to its end, and its process dies. The
// copy, for which there is nothing left to wake, tells the parent.
func TestACopyOfAWakeUpAnswersForTheEndThatTheOtherHasMade(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: in}))
			})
			w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		})
		w.start("a", "Main", "1")
		for w.step() {
		}
		w.clock.Advance(time.Hour)
		wakes, err := w.delay.Receive(t.Context(), 1, 0)
		if err != nil || len(wakes) != 1 {
			t.Fatal(wakes, err)
		}
		w.deploy("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("11"), nil })
		died := w.deliver(wakes[0].ID, wakes[0].Body, 1, SourceDelay, killAt)
		w.deliver(wakes[0].ID, wakes[0].Body, 1, SourceDelay, 0)
		if err := w.delay.Delete(t.Context(), wakes[0]); err != nil {
			t.Fatal(err)
		}
		w.runFor(4 * time.Hour)
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// M-16: two copies race. The one that loses goes on through the FIFO queue as
// another message; the one that has won dies ahead of its dispatch.
func TestACopyThatLostItsCommitIsKnownWhereItIsForwarded(t *testing.T) {
	t.Parallel()
	w := copiedWorld(t)
	w.start("a", "Steps", "1")
	w.settleFIFO()
	both := w.two()
	batch := []Delivery{{queue.Message{ID: "m", Body: w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"}), ReceiveCount: 1}, SourceDelay}}
	ctx := deadline{t.Context(), w.clock.Now().Add(w.limit)}
	w.beforeCommit = func(*store.Commit) error {
		w.beforeCommit = func(*store.Commit) error {
			w.beforeCommit = nil
			both[1].killAt, both[1].after = both[1].calls+1, false // ahead of its dispatch
			return nil
		}
		both[1].o.Handle(ctx, batch)
		return nil
	}
	if failed := both[0].o.Handle(ctx, batch); len(failed) != 0 || !both[1].isDead() {
		t.Fatalf("handed back %v; the other is dead: %t", failed, both[1].isDead())
	}
	w.orchestrator = both[0]
	w.run()
	w.expectOutput("a", "11")
	w.expectCount(CountForwarded, "conflict", 1)
}

// M-01: another message that says the same is no copy: it answers for nothing,
// or each duplicate of a timer would bring forth another of the next.
func TestADuplicateIsNoCopy(t *testing.T) {
	t.Parallel()
	w := copiedWorld(t)
	w.start("a", "Steps", "1")
	w.settleFIFO()
	body := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"})
	w.deliver("m", body, 1, SourceDelay, 0)
	w.deliver("another", body, 1, SourceDelay, 0)
	if n := len(w.activity.Peek()); n != 1 {
		t.Errorf("%d messages for the activity, want 1", n)
	}
	w.run()
	w.expectOutput("a", "11")
}

// P-02: the instance is purged between the two copies, and its record with it.
func TestACopyIsKnownBehindAPurge(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := copiedWorld(t)
		w.start("a", "Parent", "1")
		w.settleFIFO()
		w.settleFIFO()
		body := w.body(wire.Item{Kind: wire.TerminateInstance, Instance: "child", ID: "t", Reason: "enough"})
		if !w.deliver("m", body, 1, SourceDelay, killAt) {
			return // Every call has been tried.
		}
		w.deliver("p", w.body(wire.Item{Kind: wire.PurgeInstance, Instance: "child", ID: "p"}), 1, SourceOrchestrator, 0)
		w.deliver("m", body, 1, SourceDelay, 0)
		w.run()
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
	}
}

// P-02: two processes have a terminate at once. The first finds no instance, or
// one that was purged, and deletes it; the other finds what was started meanwhile,
// and dies behind any call. What it has ended is told all the same, and stopped.
func TestACopyThatComesAheadOfItsInstanceLeavesNothingUndone(t *testing.T) {
	t.Parallel()
	for _, kind := range []wire.Kind{wire.TerminateInstance, wire.CancelInstance, wire.PurgeInstance} {
		for _, before := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, started before %t", kind, before), func(t *testing.T) {
				t.Parallel()
				for killAt := 1; ; killAt++ {
					w := copiedWorld(t)
					if before {
						w.start("child", "Ends", "1")
						w.settleFIFO()
						w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "child", ID: "p", Force: true})
						w.settleFIFO()
					}
					body := w.body(wire.Item{Kind: kind, Instance: "child", ID: "t", Reason: "enough", Force: kind == wire.PurgeInstance})
					w.deliver("m", body, 1, SourceDelay, 0)
					w.start("a", "Parent", "1")
					w.settleFIFO()
					w.settleFIFO()
					died := w.deliver("m", body, 1, SourceDelay, killAt) // It is deleted: nothing comes back.
					w.process().faults.killAt = 0
					w.runFor(time.Hour)
					// On a tombstone a purge leaves its mark: the copy is known.
					known := kind == wire.PurgeInstance && before
					if r := w.record("child"); known != (r.Status == store.StatusRunning) && !died {
						t.Errorf("the child is %+v", r)
					} else if r.Status != store.StatusRunning {
						w.expectOutput("a", "11")
					}
					if t.Failed() {
						t.Fatalf("killed behind call %d", killAt)
					}
					if !died {
						return // Every call has been tried.
					}
				}
			})
		}
	}
}

// V-07: the history of an instance that has ended can't be read by this build, so
// that nobody here can tell whether a message that is late is a copy. It goes
// round until a build can.
func TestACopyGoesRoundUntilABuildCanReadTheHistory(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := copiedWorld(t)
		w.start("a", "Parent", "1")
		w.settleFIFO()
		w.settleFIFO()
		body := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "go", Data: []byte("1"), ID: "e"})
		died := w.deliver("m", body, 1, SourceDelay, killAt)
		w.newer = true
		w.deliver("m", body, 1, SourceDelay, 0)
		w.runFor(time.Hour) // longer than copies are looked for
		w.newer = false
		w.runFor(24 * time.Hour)
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// A build without the key sent it round when the other copy was handled, and it
// comes an hour later.
func TestACopyThatWasRoundIsKnownLaterThanOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ start, root, target string }{
		"an end":         {"Parent", "a", "child"},
		"a continuation": {"Rounds", "a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			for killAt := 1; ; killAt++ {
				w := copiedWorld(t)
				w.withKey("a")
				w.start(c.root, c.start, "1")
				w.settleFIFO()
				w.settleFIFO()
				body, err := w.codecs.EncodeItem(wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: c.target, Name: "go", Data: []byte("1"), ID: "e"})
				if err != nil {
					t.Fatal(err)
				}
				w.withKey("b")
				w.deliver("m", string(body), 1, SourceDelay, 0)
				w.withKey("a")
				died := w.deliver("m", string(body), 1, SourceDelay, killAt)
				w.withKey("b")
				w.runFor(time.Hour)
				w.withKey("a")
				w.runFor(24 * time.Hour)
				if w.expectOutput(c.root, "11"); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if !died {
					break // Every call has been tried.
				}
			}
		})
	}
}

// W-13: what leaves no commit, an operator's wake or what came back before it went
// round, is done by the process of the other copy and deleted. This one has a broken
// build by now. It marks the instance as stuck, and dies; nothing comes back but the
// wake-up.
func TestAMarkIsNotWithoutItsWakeUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		item wire.Item
		mark map[string]string
	}{
		"what came back before a hop": {lifeEvent("m"), handledMark()},
		"an operator's wake":          {wire.Item{Kind: wire.Wake, Instance: "a", ID: "operator"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for killAt := 1; ; killAt++ {
				w := newWorld(t, nil)
				good := waits("go", "end")
				w.orchestration("Main", good)
				w.start("a", "Main", "1")
				w.settleFIFO()
				w.deliver("first", w.body(lifeEvent("m")), 1, SourceOrchestrator, 0)
				w.deliver("m", w.body(c.item), 1, SourceDelay, 0)
				w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
				p := w.process()
				p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
				p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "m", Body: w.body(c.item), ReceiveCount: 1, Attributes: c.mark}, SourceDelay}})
				died := w.buried(p)
				w.runFor(time.Second)
				w.raise("a", "end", "2", "n")
				w.runFor(30 * time.Second)
				w.deploy("Main", good)
				w.runFor(4 * time.Hour)
				if w.expectOutput("a", "[1,2]"); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if !died {
					return // Every call has been tried.
				}
			}
		})
	}
}

// W-13: the process of the other copy is done, and has deleted the message. The
// one that has this copy has a broken build by now, marks the instance as stuck,
// and dies ahead of the wake-up. The message that it was sent on as comes back.
func TestACopyThatMarksTheInstanceComesBack(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, nil)
		good := func(ctx *engine.Context, _ []byte) ([]byte, error) {
			for range 2 {
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
			}
			return []byte("11"), nil
		}
		event := func(id string) string {
			return w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id})
		}
		w.orchestration("Main", good)
		w.start("a", "Main", "1")
		w.settleFIFO()
		w.deliver("m", event("m"), 1, SourceDelay, 0)
		w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
		// Behind the call that sends it on nothing of it is left.
		w.deliver("m", event("m"), 1, SourceDelay, 0)
		forwarded, err := w.fifo.Receive(t.Context(), 1, 0)
		if err != nil || len(forwarded) != 1 {
			t.Fatal(forwarded, err)
		}
		p := w.process()
		p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{forwarded[0], SourceOrchestrator}})
		died := w.buried(p)
		if !died {
			if err := w.fifo.Delete(t.Context(), forwarded[0]); err != nil {
				t.Fatal(err)
			}
		}
		w.runFor(time.Minute)
		w.deliver("n", event("n"), 1, SourceOrchestrator, 0)
		w.deploy("Main", good)
		w.runFor(4 * time.Hour)
		if w.expectOutput("a", "11"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}

// An attempt that its worker gave up has a reason, and was redriven by nobody.
func TestAGivenUpAttemptTakesNoHop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Chain", chain(1))
	w.start("a", "Chain", "1")
	w.settleFIFO()
	m, err := w.activity.Receive(t.Context(), 1, 0)
	if err != nil || len(m) != 1 {
		t.Fatal(m, err)
	}
	w.give(Delivery{queue.Message{ID: "d", Body: m[0].Body, ReceiveCount: 1, Attributes: map[string]string{wire.ReasonAttribute: "not_registered: no such activity"}}, SourceActivityDead})
	if n := w.observer.counts["forwarded copy"]; n != 0 {
		t.Errorf("%d hops: %v", n, w.observer.counts)
	}
	w.settleFIFO()
	t.Log(w.observer.counts, short(w.events("a", 1)))
}
