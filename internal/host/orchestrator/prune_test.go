package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
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

// keeps makes an orchestration keep its newest n executions.
func keeps(n int) func(*engine.Orchestration) {
	return func(o *engine.Orchestration) { o.KeepExecutions = n }
}

// looping waits for the given time in each execution, up to execution n.
func looping(n int, pause time.Duration) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		i, err := strconv.Atoi(string(in))
		if err != nil {
			return nil, err
		}
		if _, err := ctx.Await(ctx.Timer(pause)); err != nil {
			return nil, err
		}
		if i == n {
			return in, nil
		}
		return nil, ctx.ContinueAsNew("", fmt.Append(nil, i+1), nil)
	}
}

// newLoop runs a loop of 60 executions, each two days long.
func newLoop(t *testing.T, configure func(w *world)) *world {
	t.Helper()
	w := newWorld(t, func(w *world) {
		w.idle = 200 * day
		w.orchestration("Loop", looping(60, 2*day), keeps(3))
		if configure != nil {
			configure(w)
		}
	})
	w.start("loop", "Loop", "1")
	return w
}

// expectKept checks that exactly the executions of an instance from first on are stored.
func (w *world) expectKept(instance string, first, pruned int64) {
	w.Helper()
	r := w.record(instance)
	if r.FirstExecution != first || r.Pruned != pruned {
		w.Errorf("%s keeps its executions from %d on, %d are pruned; want from %d on, and %d", instance, r.FirstExecution, r.Pruned, first, pruned)
	}
	for n := int64(1); n <= r.ExecutionID; n++ {
		turns, err := w.store.Read(w.Context(), instance, n, 1)
		if err != nil || (len(turns) > 0) != (n >= first) {
			w.Errorf("execution %d of %s has %d turns, it keeps those from %d on: %v", n, instance, len(turns), first, err)
		}
	}
}

func TestO11ALongLoopKeepsItsNewestExecutions(t *testing.T) {
	t.Parallel()
	w := newLoop(t, func(w *world) { w.idle = 119 * day })
	w.run()
	w.expectStatus("loop", store.StatusRunning)
	// The 60th execution has started. Executions that ended less than fifteen days ago are kept.
	w.expectKept("loop", 52, 51)
	w.expectInvariants("loop")
	w.expectDead()
	w.idle = 200 * day
	w.run()
	w.expectOutput("loop", "60")
}

func TestO11TheSettingLimitsTheExecutionsThatAreKept(t *testing.T) {
	t.Parallel()
	w := newLoop(t, func(w *world) {
		w.settings.Purge.Executions = 20
		w.orchestration("Other", looping(60, 2*day))
	})
	w.start("other", "Other", "1")
	w.run()
	w.expectKept("loop", 52, 51)
	w.expectKept("other", 41, 40)
}

func TestO11WithoutASettingAllExecutionsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.idle = 200 * day
		w.orchestration("Loop", looping(60, 2*day))
	})
	w.start("loop", "Loop", "1")
	w.run()
	w.expectKept("loop", 1, 0)
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "loop", ID: "p", UpToExecution: 30})
	w.run()
	w.expectKept("loop", 1, 0)
}

func TestO11ARedrivenDeadLetterFindsItsExecution(t *testing.T) {
	t.Parallel()
	// A process commits the turn of an event and dies, and the message becomes a dead letter;
	// further executions follow. If the message is redriven on the last day on which it is applied,
	// it still sends the messages of its turn.
	w := newWorld(t, func(w *world) {
		w.orchestration("Other", chain(0))
		w.orchestration("Loop", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("e")); err != nil {
				return nil, err
			}
			if string(in) == "1" {
				if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: in}); err != nil {
					return nil, err
				}
			}
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}, keeps(3))
	})
	w.start("loop", "Loop", "1")
	w.settleFIFO()
	sent := w.clock.Now()
	item := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: "loop", ID: "e-1", Name: "e", SentMS: sent.UnixMilli()}
	body := w.body(item)
	w.beforeSend = func(string, []queue.Outgoing) error { return errors.New("the queue is down") }
	w.deliver("m-1", body, 1, platform.SourceOrchestrator, 0)
	w.beforeSend = nil
	for i := range 40 {
		w.raise("loop", "e", "1", fmt.Sprint("later-", i))
		w.settleFIFO()
		w.clock.Advance(8 * time.Hour)
	}
	if n := w.record("loop").ExecutionID; n < 40 {
		t.Fatalf("execution %d", n)
	}
	if _, err := w.store.Describe(t.Context(), "other"); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("the other instance: %v", err)
	}
	if err := w.fifo.Send(t.Context(), queue.Outgoing{Body: body, Group: "loop", Attributes: map[string]string{wire.RedriveAttribute: "1"}}); err != nil {
		t.Fatal(err)
	}
	w.settleFIFO()
	w.expectStatus("other", store.StatusCompleted)
}

// deleted records the deletions.
type deleted struct {
	store.Store
	tell func(instance string, upTo int64)
}

func (d deleted) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (bool, error) {
	d.tell(instance, upTo)
	return d.Store.DeleteHistory(ctx, instance, upTo, limit)
}

func TestO11AnExecutionIsArchivedBeforeItIsPruned(t *testing.T) {
	t.Parallel()
	archive := &fakeArchive{kept: map[string][]byte{}}
	failures := 0
	archive.fails = func(string) error {
		if failures++; failures%7 == 0 {
			return errors.New("the archive is down")
		}
		return nil
	}
	w := newLoop(t, func(w *world) {
		w.archive = archive
		w.logger = slog.New(slog.DiscardHandler)
	})
	w.change(func(c *Config) {
		c.Services.Store = deleted{c.Services.Store, func(instance string, upTo int64) {
			for n := int64(1); n <= upTo; n++ {
				x, err := history.DecodeExport(archive.kept[fmt.Sprint(instance, "#", n)])
				if err != nil || x.ExecutionID != n || !x.Events[len(x.Events)-1].Kind.Terminal() {
					t.Errorf("execution %d is deleted, the archive has %+v: %v", n, x, err)
				}
			}
		}}
	})
	w.run()
	r := w.record("loop")
	if r.Pruned < 30 || failures < 30 {
		t.Errorf("%d executions are pruned, the archive was asked %d times", r.Pruned, failures)
	}
	w.expectKept("loop", r.FirstExecution, r.Pruned)
	w.expectInvariants("loop")
}

func TestO11AKillDuringPruningLosesNothing(t *testing.T) {
	t.Parallel()
	// The deletions are requested at executions 10, 20 and 30; the last request may be lost with
	// its process.
	p := program{
		name: "a loop that keeps three executions",
		set: func(w *world) {
			w.idle = 200 * day
			w.orchestration("Main", looping(30, 2*day), keeps(3))
			w.settings.Purge = host.PurgeSettings{Page: 7}
		},
		begin:     func(w *world) { w.start("main", "Main", "1") },
		outputs:   map[string]string{"main": "30"},
		instances: []string{"main"},
	}
	full := p.run(t, nil)
	p.check(full)
	full.expectKept("main", 22, 21)
	calls := full.process().calls
	for _, after := range []bool{false, true} {
		for k := 1; k <= calls; k++ {
			w := p.run(t, func(w *world) { w.process().killAt, w.process().after = k, after })
			p.check(w)
			r := w.record("main")
			if r.FirstExecution != 22 && r.FirstExecution != 12 {
				t.Errorf("killed at call %d, after it %t: it keeps executions from %d on", k, after, r.FirstExecution)
			}
			w.expectKept("main", r.FirstExecution, r.FirstExecution-1)
		}
	}
}

func TestO11PruningUnderRandomKillsAndCopies(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(28, seed))
			w := newLoop(t, func(w *world) {
				w.logger = slog.New(slog.DiscardHandler)
				w.settings.Purge.Page = 1 + r.IntN(9)
				w.die = func() (bool, bool) { return r.IntN(60) == 0, r.IntN(2) == 0 }
				w.twice = func() bool { return r.IntN(6) == 0 }
				w.evict = func() bool { return r.IntN(3) == 0 }
			})
			w.run()
			w.expectOutput("loop", "60")
			w.expectInvariants("loop")
			w.expectDead()
			found := w.record("loop")
			if found.Pruned < 20 {
				t.Errorf("%d of %d executions are pruned", found.Pruned, found.ExecutionID)
			}
			w.expectKept("loop", found.FirstExecution, found.FirstExecution-1)
		})
	}
}
