// Package cost counts what a chain of activities costs on DynamoDB: requests,
// capacity units and bytes, over a metering store in memory that charges as
// DynamoDB does (internal/store/metering, held against DynamoDB Local for 300 steps by
// its own test). Nothing here reads a clock.
//
//	go -C tools/bench test -v -run Cost ./cost
package cost

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// counts is what a chain took.
type counts struct {
	steps, turns          int
	writes, reads         int // requests
	writeUnits, readUnits float64
	bytesWritten          int
	mostReadsPerTurn      int
}

// dollars of DynamoDB for a million steps, at list prices. What SQS and Lambda add is
// counted in tools/bench/bill.
func (c counts) dollars() float64 {
	return (c.writeUnits*bill.WriteUnits.Price() + c.readUnits*bill.ReadUnits.Price()) / float64(c.steps)
}

func (c counts) String() string {
	n := float64(c.steps)
	return fmt.Sprintf("%6d steps: %6d turns, %6d writes, %6d reads; a step %.3f write units, %.3f read units, %.0f bytes; a million steps $%.2f",
		c.steps, c.turns, c.writes, c.reads, c.writeUnits/n, c.readUnits/n, float64(c.bytesWritten)/n, c.dollars())
}

// chain runs an orchestration of n steps, each turn on the next of so many
// processes; what they keep between turns is settings' business.
func chain(t testing.TB, n, processes int, settings host.Settings) counts {
	return chains(t, 1, n, processes, settings)
}

// chains is chain of so many instances, whose turns take turns.
func chains(t testing.TB, instances, n, processes int, settings host.Settings) counts {
	t.Helper()
	c := counts{steps: n * instances}
	note := `"` + strings.Repeat("n", 198) + `"`
	orchestrations, err := engine.NewRegistry(engine.Orchestration{Name: "Chain", Func: func(ctx *engine.Context, in []byte) ([]byte, error) {
		for range n {
			v, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			if err != nil {
				return nil, err
			}
			in = v
		}
		return in, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	activities, err := activities.NewRegistry(activities.Activity{Name: "Step", Func: func(_ context.Context, in []byte) ([]byte, error) { return in, nil }})
	if err != nil {
		t.Fatal(err)
	}
	readsThisTurn := 0
	metered := metering.New(storememory.New(), dynamo.Config{}, func(u dynamo.Usage) {
		c.writeUnits += u.WriteUnits
		c.readUnits += u.ReadUnits
		if u.Operation == "Query" || u.Operation == "GetItem" {
			c.reads++
			readsThisTurn++
		} else {
			c.writes++
			c.bytesWritten += u.Bytes
		}
	})
	newQueue := func(name string, fifo bool) queue.Queue {
		q, err := queuememory.New(queuememory.Options{Name: name, FIFO: fifo, Visibility: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	queues := platform.Queues{Orchestrator: newQueue("fifo", true), Delay: newQueue("delay", false), Activity: newQueue("activity", false),
		ActivityDead: newQueue("activitydead", false), DeadFIFO: newQueue("deadfifo", true), DeadStandard: newQueue("dead", false)}
	timers, err := timermemory.New(timermemory.Options{Deliver: func(context.Context, timer.Schedule) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(timers.Close)
	stops := storememory.NewActivities(time.Now)
	settings.Parallelism, settings.Dispatch.Parallelism, settings.Turn.BlockLimit = 1, 1, -1
	var orchestrators []*orchestrator.Orchestrator
	kept := &keyring.Memory{}
	for range processes {
		keys, err := keyring.New(keyring.Config{Keys: kept})
		if err != nil {
			t.Fatal(err)
		}
		o, err := orchestrator.New(orchestrator.Config{Orchestrations: orchestrations, Services: orchestrator.Services{Store: metered, Stops: stops, Queues: queues, Timer: timers}, Keys: keys, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(o.Close)
		orchestrators = append(orchestrators, o)
	}
	worker, err := worker.New(worker.Config{Activities: activities, Stops: stops, Queues: queues, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}

	ctx := t.Context()
	for i := range instances {
		id := fmt.Sprint("chain-", i)
		start := wire.Item{Kind: wire.StartOrchestration, Instance: id, ID: "start", Name: "Chain", Input: []byte(note)}
		body, err := start.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := queues.Orchestrator.Send(ctx, queue.Outgoing{Body: string(body), Group: id, DedupID: "start-" + id}); err != nil {
			t.Fatal(err)
		}
	}
	handle := func(q queue.Queue, from platform.Source, run func(context.Context, []platform.Delivery) []string) bool {
		batch, err := q.Receive(ctx, 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			return false
		}
		var deliveries []platform.Delivery
		for _, m := range batch {
			deliveries = append(deliveries, platform.Delivery{Message: m, Source: from})
		}
		if failed := run(ctx, deliveries); len(failed) > 0 {
			t.Fatalf("handed back: %v", failed)
		}
		for _, m := range batch {
			if err := q.Delete(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
		return true
	}
	for busy := true; busy; {
		readsThisTurn = 0
		busy = handle(queues.Orchestrator, platform.SourceOrchestrator, orchestrators[c.turns%processes].Handle)
		if busy {
			c.turns++
			if c.turns > 1 { // the start looks whether the instance exists
				c.mostReadsPerTurn = max(c.mostReadsPerTurn, readsThisTurn)
			}
		}
		busy = handle(queues.Activity, platform.SourceActivity, worker.Handle) || busy
	}
	for i := range instances {
		record, err := metered.Store.Describe(ctx, fmt.Sprint("chain-", i))
		if err != nil || record.Status != store.StatusCompleted {
			t.Fatalf("chain %d ended as %s (%v): %v", i, record.Status, record.Problem, err)
		}
	}
	return c
}

func TestCostOfAChain(t *testing.T) {
	t.Parallel()
	warm := host.Settings{}
	thousand, tenThousand := chain(t, 1000, 1, warm), chain(t, 10_000, 1, warm)
	t.Log("warm:", thousand)
	t.Log("warm:", tenThousand)
	if tenThousand.writeUnits+tenThousand.readUnits > 11*(thousand.writeUnits+thousand.readUnits) {
		t.Errorf("10,000 steps cost %.0f units, more than 11 times the %.0f of 1,000", tenThousand.writeUnits+tenThousand.readUnits, thousand.writeUnits+thousand.readUnits)
	}
	if tenThousand.writes > tenThousand.turns || tenThousand.turns > 10_001 {
		t.Errorf("%d turns, %d writes; want one write a turn", tenThousand.turns, tenThousand.writes)
	}
	if tenThousand.mostReadsPerTurn > 1 {
		t.Errorf("a turn made %d reads, want at most one", tenThousand.mostReadsPerTurn)
	}
	if most := 760 * thousand.steps; thousand.bytesWritten > most || thousand.reads > 1 {
		t.Errorf("%d bytes written and %d reads, want no more than %d and 1", thousand.bytesWritten, thousand.reads, most)
	}

	cold := host.Settings{Cache: host.CacheSettings{Instances: -1}}
	eight := chain(t, 1000, 8, cold)
	t.Log("eight cold processes:", eight)
	if eight.mostReadsPerTurn > 1 || eight.writes > eight.turns {
		t.Errorf("cold: %d reads in a turn, %d writes in %d turns", eight.mostReadsPerTurn, eight.writes, eight.turns)
	}
	// Seven of eight turns find a cache that others have made stale: they read
	// the new tail alone.
	stale := chain(t, 1000, 8, warm)
	t.Log("eight warm processes:", stale)
	if stale.writes > stale.turns || stale.mostReadsPerTurn > 1 || stale.readUnits > 3*1000 {
		t.Errorf("stale caches: %d writes in %d turns, %d reads in a turn, %.0f read units", stale.writes, stale.turns, stale.mostReadsPerTurn, stale.readUnits)
	}
}
