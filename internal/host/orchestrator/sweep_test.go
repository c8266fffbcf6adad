package orchestrator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sweepNow handles a sweep, and returns the wakes that are then waiting.
func (w *world) sweepNow(id string) (wakes []queue.Message) {
	w.Helper()
	w.deliver(id, w.body(wire.Item{Kind: wire.Sweep, ID: id}), 1, platform.SourceOrchestrator, 0)
	for _, m := range w.fifo.Peek() {
		if strings.Contains(m.Body, `"Wake"`) {
			wakes = append(wakes, m)
		}
	}
	return wakes
}

func breaks(*engine.Context, []byte) ([]byte, error) { panic("broken") }

func TestASweepWakesEachDueStuckInstanceOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", breaks) })
	for i := range 3 {
		w.start(fmt.Sprint("a-", i), "Main", "1")
	}
	w.settleFIFO()
	if wakes := w.sweepNow("early"); len(wakes) != 0 {
		t.Fatalf("what is not due gets %d wakes", len(wakes))
	}
	w.clock.Advance(time.Minute)
	wakes := w.sweepNow("due")
	if len(wakes) != 3 {
		t.Fatalf("%d wakes, want one for each of three", len(wakes))
	}
	item, err := wire.Parse([]byte(wakes[0].Body))
	if r := w.record(item.Instance); err != nil || item.Number != r.Stamp || wakes[0].Group != item.Instance || r.Problem.WokenMS == 0 {
		t.Errorf("wake %+v (%v) for the mark %+v with stamp %d", item, err, r.Problem, r.Stamp)
	}
	// The wakes have not been handled, so no instance gets another wake for a day.
	w.clock.Advance(23 * time.Hour)
	if wakes := w.sweepNow("later"); len(wakes) != 3 {
		t.Errorf("%d wakes are there now, want the three", len(wakes))
	}
	w.settleFIFO()
	if r := w.record("a-1"); r.Stamp != 2 || r.Problem.Tries != 2 || r.Problem.WokenMS != 0 {
		t.Errorf("behind its wake: stamp %d, problem %+v", r.Stamp, r.Problem)
	}
	w.expectDead()
}

func TestASweepOfADifferentBuildWakesInstancesThatAreNotDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", breaks) })
	w.build = "one"
	w.start("a", "Main", "1")
	w.settleFIFO()
	if wakes := w.sweepNow("same"); len(wakes) != 0 {
		t.Errorf("the build that has tried it sends %d wakes", len(wakes))
	}
	w.build = "two"
	w.deploy("Main", waits())
	w.raise("b", "e", "1", "e-1") // the first batch of a process requests a sweep
	w.settleFIFO()
	w.expectOutput("a", "[]")
}

func TestR18ABuildRedeployedWithinFiveMinutesTriesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", waits()) })
	w.build = "good"
	w.start("other", "Main", "1") // the first batch of the build requests its sweep
	w.settleFIFO()
	w.clock.Advance(20 * time.Second)
	w.build = "broken"
	w.deploy("Main", breaks)
	w.start("a", "Main", "1")
	w.settleFIFO()
	if r := w.record("a"); r.Status != store.StatusStuck {
		t.Fatalf("instance a is %s, want it stuck with the broken build", r.Status)
	}
	w.clock.Advance(20 * time.Second)
	w.build = "good"
	w.deploy("Main", waits())
	w.raise("b", "e", "1", "e-1") // the first batch after the rollback
	w.settleFIFO()
	w.expectOutput("a", "[]")
}

func TestAMessageNearTheReceiveLimitIsRequeuedAndResendsOpenOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", chain(1)) })
	item := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "s"}
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" {
			return queue.ErrUnavailable // The commit is made, but not dispatched.
		}
		return nil
	}
	w.deliver("m", w.body(item), 899, platform.SourceOrchestrator, 0)
	w.expectHistory("a", 1, "Started Act(Step)")
	w.deliver("m", w.body(item), 900, platform.SourceOrchestrator, 0)
	w.beforeSend = nil
	round := w.delay.Peek()
	if len(round) != 1 || round[0].Attributes[wire.RedriveAttribute] == "" {
		t.Fatalf("in the delay queue: %+v, want the start, marked", round)
	}
	w.clock.Advance(time.Minute)
	for w.step() {
		if w.activity.Counts().Total() > 0 {
			return
		}
	}
	t.Error("the activity was never sent")
}
