package orchestrator

import (
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// O-04: the id of a corrupt instance that was purged is held as any other.
func TestStartBehindThePurgeOfACorruptInstanceIsRefused(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s1"))
	damage(w, "a", 1)
	w.restart()
	w.fifoBatch(1, purgeOf("p"), startOf("s2"))
	w.expectDead("corrupt") // The terminate ahead of the purge.
	w.expectHeld("s1", w.clock.Now().Add(deciding.IDHeld))
}

// A corrupt child is purged with force: its parent waits for nobody.
func TestTheParentOfACorruptChildThatIsPurgedIsTold(t *testing.T) {
	t.Parallel()
	w := copiedWorld(t)
	w.start("a", "Parent", "1")
	w.settleFIFO()
	w.settleFIFO()
	purgeDamagedChild(w)
	w.expectOutput("a", "11")
}

// damage leaves a hole in the history of an instance.
func damage(w *world, instance string, execution int64) {
	w.Helper()
	turns := w.turns(instance, execution)
	if err := w.store.Commit(w.Context(), store.Commit{Turns: []store.Turn{{Instance: instance, ExecutionID: execution, Token: "broken", Events: []history.Event{
		{EventID: turns[len(turns)-1].Last() + 1, Kind: history.TimerFired, SourceEventID: 99}}}}}); err != nil {
		w.Fatal(err)
	}
}

func purgeDamagedChild(w *world) {
	w.Helper()
	damage(w, "child", 1)
	w.restart()
	p := purgeOf("p")
	p.Instance = "child"
	w.send(p)
	if w.run(); !w.record("child").Purged {
		w.Fatalf("%+v", w.record("child"))
	}
}

// P-03: so is a parent that attached itself.
func TestAnAdopterOfACorruptInstanceThatIsPurgedIsTold(t *testing.T) {
	t.Parallel()
	w := copiedWorld(t)
	w.orchestration("Adopts", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		v, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Ends", Instance: "child", Input: []byte("1"), UseExisting: true}))
		if err != nil {
			return []byte("11"), nil
		}
		return v, nil
	})
	w.start("child", "Ends", "1")
	w.settleFIFO()
	w.start("a", "Adopts", "1")
	w.settleFIFO()
	w.settleFIFO()
	found := false
	for _, e := range w.events("child", 1) {
		found = found || e.Kind == history.ParentAttached
	}
	if !found {
		t.Fatal("not attached")
	}
	purgeDamagedChild(w)
	w.expectOutput("a", "11")
}

// Without force, for it has ended.
func TestPurgeOfAnEndedCorruptInstanceThatComesAgain(t *testing.T) {
	t.Parallel()
	for _, receives := range []int{1, 2} {
		w := waitingWorld(t)
		w.fifoBatch(1, startOf("s1"), eventOf("e"))
		damage(w, "a", 1)
		w.restart()
		p := purgeOf("p")
		p.Force = false
		w.fifoBatch(receives, p)
		if r := w.record("a"); !r.Purged {
			t.Errorf("receives %d: %v", receives, w.observer.counts)
		}
	}
}

func TestStartBehindThePurgeOfWhatEndedCorrupt(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s1"), eventOf("e"))
	damage(w, "a", 1)
	w.restart()
	p := purgeOf("p")
	p.Force = false
	w.fifoBatch(2, p, startOf("s2"))
	w.expectDead()
	w.expectHeld("s1", w.clock.Now().Add(deciding.IDHeld))
}
