package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// killer kills its process whenever its code runs, until the code is fixed.
type killer struct {
	w      *world
	mended bool
	runs   int
}

func (k *killer) code(ctx *engine.Context, in []byte) ([]byte, error) {
	k.runs++
	if !k.mended {
		k.w.process().kill()
	}
	return waits("e")(ctx, in)
}

func TestW09ATurnThatKillsItsProcess(t *testing.T) {
	t.Parallel()
	t.Run("a start", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		k := &killer{w: w}
		w.orchestration("Killer", k.code)
		w.orchestration("Good", waits("e"))
		w.start("bad", "Killer", "1")
		w.start("good", "Good", "1")
		w.runFor(10 * time.Minute)
		r := w.record("bad")
		if r.Status != store.StatusStuck || r.Problem.Kind != "killed" || r.Suspect != "" {
			t.Fatalf("record %+v, problem %+v", r, r.Problem)
		}
		w.expectHistory("bad", 1, "Started")
		w.expectHistory("good", 1, "Started Sub(e)")
		if r := w.record("good"); r.Problem != nil || r.Suspect != "" {
			t.Errorf("the neighbour is marked: %+v", r)
		}
		runs := k.runs
		// Messages no longer run the code, but wakes do.
		w.raise("bad", "e", "7", "e-1")
		w.settleFIFO()
		if k.runs != runs {
			t.Error("a message ran the code of a killer")
		}
		w.expectHistory("bad", 1, "Started Ev(e)")
		k.mended = true
		w.run()
		w.expectOutput("bad", "[7]")
		w.expectInvariants("bad", "good")
	})
}

func TestW09OftenRedeliveredMessagesAreNeverMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	failures := 0
	w.beforeCommit = func(c *store.Commit) error {
		if failures++; failures < 12 {
			return store.ErrUnavailable
		}
		return nil
	}
	w.start("a", "Main", "1")
	w.run()
	w.expectHistory("a", 1, "Started Sub(e)")
	if r := w.record("a"); r.Suspect != "" || r.Problem != nil {
		t.Errorf("record %+v", r)
	}
	failures = 0
	w.raise("a", "e", "1", "e-1")
	w.run()
	w.expectOutput("a", "[1]")
}

func TestW14AMessageThrottledAfterItsFourthReceive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", chain(1))
	w.activityFunc("Step", step)
	message := queue.Message{ID: "m-1", Group: "a", Body: w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "s"})}
	throttled := true
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if throttled && name == "activity" {
			return queue.ErrUnavailable
		}
		return nil
	}
	for receive := 4; receive <= 6; receive++ {
		throttled = receive < 6
		message.ReceiveCount = receive
		failed := w.process().o.Handle(t.Context(), []platform.Delivery{{Message: message, Source: platform.SourceOrchestrator}})
		if (len(failed) == 1) != throttled {
			t.Fatalf("receive %d: failed %v", receive, failed)
		}
		if r := w.record("a"); r.Suspect != "" || r.Problem != nil {
			t.Fatalf("receive %d: record %+v, problem %+v", receive, r, r.Problem)
		}
	}
	w.run()
	w.expectOutput("a", "11")
}

func TestW09GroupsRunOneAfterAnotherFromTheFourthReceiveOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.settings.Parallelism = 10 })
	running, most := 0, 0
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		running++
		most = max(most, running)
		running--
		return in, nil
	})
	var batch []platform.Delivery
	for i := range 10 {
		id := fmt.Sprint("i-", i)
		batch = append(batch, platform.Delivery{Message: queue.Message{ID: id, Group: id, ReceiveCount: 1 + i%4,
			Body: w.body(wire.Item{Kind: wire.StartOrchestration, Instance: id, Name: "Main", Input: []byte("1")})}, Source: platform.SourceOrchestrator})
	}
	if failed := w.process().o.Handle(t.Context(), batch); len(failed) > 0 {
		t.Error(failed)
	}
	// The race detector finds races that these checks miss.
	if most != 1 {
		t.Errorf("%d at once", most)
	}
}
