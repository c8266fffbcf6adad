package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// P-02: what stood ahead of a purge, and comes again.

func (w *world) give(batch ...Delivery) {
	w.Helper()
	if failed := w.process().o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, batch); len(failed) > 0 {
		w.Errorf("handed back %v", failed)
	}
}

func (w *world) grouped(group string, receives int, i wire.Item) Delivery {
	return Delivery{queue.Message{ID: "m-" + i.ID, Body: w.body(i), Group: group, ReceiveCount: receives}, SourceOrchestrator}
}

func lifeEvent(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id}
}

// An event under another message group stands ahead of a purge that comes
// again in the batch, but not in its FIFO group: it is new.
func TestAnEventOfAnotherGroupIsNotAheadOfAPurge(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"))
	w.give(w.grouped("a", 1, lifePurge("p"))) // Its acknowledgement is lost.
	w.restart()
	w.give(w.grouped("x", 1, lifeEvent("e")), w.grouped("a", 2, lifePurge("p")), w.grouped("a", 1, lifeStart("s2")))
	w.runFor(time.Hour)
	w.expectOutput("a", `"s2"`)
	w.expectDead()
}

// What stood ahead of a purge that found a tombstone, or nothing.
func TestWhatStoodAheadOfAPurgeThatFoundNothing(t *testing.T) {
	t.Parallel()
	for _, front := range []wire.Item{
		{Kind: wire.TerminateInstance, Instance: "a", ID: "t"},
		{Kind: wire.CancelInstance, Instance: "a", ID: "c"},
	} {
		for name, before := range map[string][]wire.Item{"tombstone": {lifeStart("s1"), lifePurge("p1")}, "nothing": nil} {
			t.Run(string(front.Kind)+" "+name, func(t *testing.T) {
				w := livesWorld(t)
				w.fifoBatch(1, before...)
				items := []wire.Item{front, lifePurge("p"), lifeStart("s2")}
				w.fifoBatch(1, items...)
				w.expectLife("s2", store.StatusRunning)
				w.restart()
				w.fifoBatch(2, items...)
				w.expectLife("s2", store.StatusRunning)
			})
		}
	}
}

// The batch comes again in two.
func TestWhatStoodAheadOfAPurgeComesAgainByItself(t *testing.T) {
	t.Parallel()
	for _, front := range []wire.Item{
		{Kind: wire.TerminateInstance, Instance: "a", ID: "t"},
		{Kind: wire.CancelInstance, Instance: "a", ID: "c"},
		lifeEvent("e"),
		lifeStart("other"),
	} {
		t.Run(string(front.Kind), func(t *testing.T) {
			t.Parallel()
			w := livesWorld(t)
			w.fifoBatch(1, lifeStart("s1"))
			w.fifoBatch(1, front, lifePurge("p"), lifeStart("s2"))
			w.expectLife("s2", store.StatusRunning)
			w.restart()
			w.fifoBatch(2, front)
			w.fifoBatch(2, lifePurge("p"), lifeStart("s2"))
			w.expectLife("s2", store.StatusRunning)
		})
	}
	t.Run("a start that was refused", func(t *testing.T) {
		t.Parallel()
		w := livesWorld(t)
		w.fifoBatch(1, lifeStart("s1"))
		w.fifoBatch(1, lifeStart("other"), lifePurge("p"))
		w.restart()
		w.fifoBatch(2, lifeStart("other"))
		w.fifoBatch(2, lifePurge("p"))
		if r := w.record("a"); !r.Purged {
			t.Errorf("a start that had been refused began: %+v", r)
		}
	})
}

// A start of an earlier life meets a warm instance whose record nobody read.
func TestWarmInstanceWithoutRecordKnowsTheStartOfAnEarlierLife(t *testing.T) {
	t.Parallel()
	for _, warm := range []bool{true, false} {
		w := newWorld(t, func(w *world) {
			w.activityFunc("Step", step)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
					return nil, err
				}
				_, err := ctx.Await(ctx.ExternalEvent("go"))
				return in, err
			})
		})
		first := childStart("s1", "px")
		first.UseExisting = true
		w.fifoBatch(1, first)
		w.fifoBatch(1, lifePurge("p"))
		w.runFor(time.Minute) // The activity is stopped.
		w.fifoBatch(1, lifeStart("s2"))
		w.restart()
		w.runFor(time.Minute) // The activity completes: read without the record.
		if !warm {
			w.restart()
		}
		w.fifoBatch(1, first) // sent again by its parent, beyond the five minutes
		for _, e := range w.events("a", 2) {
			if e.Kind == history.ParentAttached {
				t.Errorf("warm %t: attached to the life behind its own", warm)
			}
		}
	}
}

// So it is where the turn was too large for the batch, and made in halves.
func TestWhatStoodAheadOfAPurgeInTheOtherHalfComesAgainByItself(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"))
	large := 0
	w.beforeCommit = func(*store.Commit) error {
		if large++; large == 1 {
			return &store.TooLargeError{Instance: "a", Limit: "a byte"}
		}
		return nil
	}
	w.fifoBatch(1, lifeEvent("e"), lifePurge("p"), lifeStart("s2"))
	if large < 2 {
		t.Fatal("no turn was too large")
	}
	w.restart()
	w.fifoBatch(2, lifeEvent("e"))
	w.expectLife("s2", store.StatusRunning)
}

// A parent's terminate behind its window, where there is a tombstone of another life.
func TestForbiddenStartWhereThereIsATombstone(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"), lifePurge("p"))
	child := childStart(placedID("child", "px", 1, 2), "px")
	w.fifoBatch(1, wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t", Parent: child.Parent})
	w.runFor(time.Hour) // Its start does not come in the window.
	w.fifoBatch(1, child)
	if r := w.record("a"); !r.Purged {
		t.Errorf("the start that its parent has closed began: %+v", r)
	}
}

// What is new behind them is for nobody.
func TestRefusedStartAheadComesAgainWithSomethingNewBehind(t *testing.T) {
	t.Parallel()
	for _, behind := range []wire.Item{
		lifeEvent("e"),
		{Kind: wire.TerminateInstance, Instance: "a", ID: "t"},
		{Kind: wire.CancelInstance, Instance: "a", ID: "c"},
		{Kind: wire.Wake, Instance: "a", ID: "w"},
		{Kind: wire.PurgeInstance, Instance: "a", ID: "p2", Force: true},
		{Kind: wire.PurgeInstance, Instance: "a", ID: "delete-1", UpToExecution: 1, NotBeforeMS: 1},
	} {
		t.Run(string(behind.Kind)+behind.ID, func(t *testing.T) {
			w := livesWorld(t)
			w.fifoBatch(1, lifeStart("s1"))
			w.fifoBatch(1, lifeStart("other"), lifePurge("p"))
			w.restart()
			batch := lifeBatch(w, 2, SourceOrchestrator, lifeStart("other"), lifePurge("p"))
			batch = append(batch, lifeBatch(w, 1, SourceOrchestrator, behind)...)
			w.give(batch...)
			r := w.record("a")
			if !r.Purged {
				t.Errorf("%+v", r)
			}
			w.runFor(time.Hour)
			w.expectQuiet()
		})
	}
}
