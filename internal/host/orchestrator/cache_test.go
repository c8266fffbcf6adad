package orchestrator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// loop is a scenario with activities, timers, events and continue-as-new.
func loop(timeout time.Duration) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) { return loopOnce(ctx, in, timeout) }
}

func loopOnce(ctx *engine.Context, in []byte, patience time.Duration) ([]byte, error) {
	if len(in) >= 6 {
		return in, nil
	}
	a := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
	timeout := ctx.Timer(patience)
	if _, err := ctx.Select(false, a, timeout); err != nil {
		return nil, err
	}
	out, err := ctx.Await(a)
	if err != nil {
		return nil, err
	}
	if _, err := ctx.Await(ctx.ExternalEvent("tick")); err != nil {
		return nil, err
	}
	if _, err := ctx.Await(ctx.Timer(time.Minute)); err != nil {
		return nil, err
	}
	if len(out)%2 == 0 {
		return nil, ctx.ContinueAsNew("", out, nil)
	}
	b, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: out}))
	if err != nil {
		return nil, err
	}
	return nil, ctx.ContinueAsNew("", b, nil)
}

func runLoop(t *testing.T, set func(w *world)) string {
	w := newWorld(t, set)
	w.orchestration("Loop", loop(20*time.Minute))
	w.activityFunc("Step", step)
	for i := range 5 {
		id := fmt.Sprint("i-", i)
		w.start(id, "Loop", "1")
		for j := range 6 {
			w.raise(id, "tick", fmt.Sprint(j), fmt.Sprint(id, "-", j))
		}
	}
	w.run()
	all := ""
	for i := range 5 {
		id := fmt.Sprint("i-", i)
		w.expectStatus(id, store.StatusCompleted)
		w.expectInvariants(id)
		for n := int64(1); n <= w.record(id).ExecutionID; n++ {
			events := w.events(id, n)
			for j := range events {
				// Random values differ between runs that read different amounts of randomness.
				if s := events[j].Start; s != nil {
					clone := *s
					clone.Secret = ""
					events[j].Start = &clone
				}
			}
			all += string(history.Encode(events)) + "\n"
		}
	}
	w.expectQuiet()
	return all
}

func TestR17TheCacheDoesNotChangeTheHistory(t *testing.T) {
	t.Parallel()
	on := runLoop(t, nil)
	if len(on) < 5000 {
		t.Fatalf("a short history: %s", on)
	}
	if off := runLoop(t, func(w *world) { w.settings.Cache.Instances = -1 }); off != on {
		t.Errorf("with the cache off:\n%s\nwith it on:\n%s", off, on)
	}
	if one := runLoop(t, func(w *world) { w.settings.Cache.Instances = 1 }); one != on {
		t.Error("another history with one place in the cache")
	}
	if none := runLoop(t, func(w *world) { w.settings.Cache.Bytes = 1 }); none != on {
		t.Error("another history with one byte in the cache")
	}
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0))
		if evicting := runLoop(t, func(w *world) { w.evict = func() bool { return random.IntN(2) == 0 } }); evicting != on {
			t.Errorf("another history with evictions, seed %d", seed)
		}
	}
}

// two returns two processes of the orchestrator.
func (w *world) two() [2]*orchestratorProcess {
	a := w.process()
	w.orchestrator = nil
	b := w.process()
	w.Cleanup(a.o.Close)
	w.Cleanup(b.o.Close)
	return [2]*orchestratorProcess{a, b}
}

func TestW08AStaleCacheOnlyCostsARetry(t *testing.T) {
	t.Parallel()
	t.Run("a completion that names an event of the other's turn costs a read of the tail", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Chain", chain(6))
		w.activityFunc("Step", step)
		w.start("a", "Chain", "1")
		processes := w.two()
		for turn := 0; ; turn++ {
			w.orchestrator = processes[turn/2%2] // the worker has every other turn
			if !w.step() {
				break
			}
		}
		w.orchestrator = processes[1]
		w.expectOutput("a", "1111111")
		if n := w.observer.counts["attempts completed"]; n != 6 {
			t.Errorf("%d attempts, want 6", n)
		}
		w.expectQuiet()
		w.expectDead()
		w.expectInvariants("a")
	})
	t.Run("an event loses the commit, and nothing of the loser is dispatched", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range 6 {
				if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
					return nil, err
				}
				ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			}
			return ctx.Await(ctx.ExternalEvent("end"))
		})
		w.start("a", "Main", "1")
		processes := w.two()
		w.settleFIFO()
		for i := range 6 {
			w.orchestrator = processes[i%2]
			w.raise("a", "e", "1", fmt.Sprint("e-", i))
			w.settleFIFO()
		}
		w.expectHistory("a", 1, "Started Sub(e) Ev(e) Act(Step) Sub(e) Ev(e) Act(Step) Sub(e) Ev(e) Act(Step) Sub(e) Ev(e) Act(Step) Sub(e) Ev(e) Act(Step) Sub(e) Ev(e) Act(Step) Sub(end)")
		w.expectCount(host.CountConflicts, "warm", 5)
		if n := w.activity.Counts().Total(); n != 6 {
			t.Errorf("%d attempts sent, want 6", n)
		}
		w.expectDead()
	})
	t.Run("a decision without a commit is not made from a stale cache", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e", "e"))
		w.start("a", "Main", "1")
		w.raise("a", "e", "1", "e-1")
		w.settleFIFO()
		stale := w.process()
		t.Cleanup(stale.o.Close)
		w.orchestrator = nil
		w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p", Force: true})
		w.settleFIFO()
		w.orchestrator.o.Close()
		w.orchestrator = stale
		// A start for an instance that is cached here and was purged by another process.
		kept := stale.o.turns.cache.Take("a")
		w.clock.Advance(6 * time.Minute)
		stale.o.turns.cache.Put(kept)
		w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "another"})
		w.settleFIFO()
		w.expectCount(host.CountMessages, "exists", 0)
		w.expectCount(host.CountMessages, "purged_id", 1)
	})
}

func TestW12AProcessFrozenForDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	frozen := w.process()
	w.orchestrator = nil
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"})
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"})
	w.run()
	if r := w.record("a"); !r.Purged || len(w.turns("a", 1)) != 0 {
		t.Fatalf("not purged: %+v", r)
	}
	w.clock.Advance(72 * time.Hour)
	w.orchestrator.o.Close()
	w.orchestrator = frozen
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	if n := len(w.turns("a", 1)); n != 0 {
		t.Errorf("%d turns were written", n)
	}
	w.expectCount(host.CountCache, "evicted", 1)
}

func TestTheCacheKeepsNoEndedOrStuckInstances(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e"))
	w.orchestration("Stuck", func(*engine.Context, []byte) ([]byte, error) { panic("stuck") })
	w.start("a", "Main", "1")
	w.start("b", "Stuck", "1")
	w.settleFIFO()
	if n := w.process().o.turns.cache.Len(); n != 1 {
		t.Errorf("%d instances kept, want the one that waits", n)
	}
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	if n := w.process().o.turns.cache.Len(); n != 0 {
		t.Errorf("%d instances kept, want none", n)
	}
}

func TestTwoHandlersOfOneProcessNeverShareAnExecution(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.settings = host.Settings{Parallelism: 4} })
	w.orchestration("Main", waits("e", "e", "e", "e", "e", "e", "e", "e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	o := w.process().o
	done := make(chan []string, 8)
	for i := range 8 {
		body := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte("1"), ID: fmt.Sprint("e-", i)})
		go func() {
			done <- o.Handle(context.Background(), []platform.Delivery{{Message: queue.Message{ID: fmt.Sprint("m-", i), Group: "a", Body: body, ReceiveCount: 1}, Source: platform.SourceOrchestrator}})
		}()
	}
	failed := 0
	for range 8 {
		failed += len(<-done)
	}
	recorded := 0
	for _, e := range w.events("a", 1) {
		if e.Kind == history.ExternalEvent {
			recorded++
		}
	}
	if recorded+failed != 8 {
		t.Errorf("%d recorded and %d handed back, want 8 in all", recorded, failed)
	}
	w.expectInvariants("a")
}

func TestGroupsRunConcurrently(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.settings = host.Settings{Parallelism: 8} })
	w.orchestration("Chain", chain(3))
	w.activityFunc("Step", step)
	for i := range 30 {
		w.start(fmt.Sprint("i-", i), "Chain", "1")
	}
	w.run()
	for i := range 30 {
		w.expectOutput(fmt.Sprint("i-", i), "1111")
	}
	w.expectQuiet()
}
