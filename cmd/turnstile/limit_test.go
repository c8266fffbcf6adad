package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/limits/limitstest"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// limited is a command line over a stack with a limit of 1, which one attempt has and for which
// two wait, since ten minutes ago.
func limited(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	activities := memory.NewActivities(b.clock.Now)
	attempt := func(n int64) limits.Who {
		return limits.Who{ActivityKey: store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: n}, Attempt: 1}
	}
	limitstest.Put(t, activities, "stripe", limitstest.Limit{N: 1, Held: []limits.Who{attempt(2)}, Waiting: []limits.Who{attempt(3), attempt(4)}, Lasts: time.Hour}, b.clock.now)
	var err error
	if b.made, err = client.New(client.Config{Store: b.store, Activities: activities, Queue: b.queue("orchestrator"), Clock: b.clock}); err != nil {
		t.Fatal(err)
	}
	b.clock.now = b.clock.now.Add(5 * time.Minute)
	return b
}

func TestALimitByTheCommandLine(t *testing.T) {
	t.Parallel()
	b := limited(t)
	says := func(want string, args ...string) {
		t.Helper()
		if out := b.ok(args...); !strings.Contains(out, want) {
			t.Errorf("%q: %q, want %q", args, out, want)
		}
	}
	says("stripe\t1\t1\t2\t5m00s ago\t–", "limit", "list")
	says("limit stripe is now 5", "limit", "set", "stripe", "5")
	says("permits     5, 1 held", "limit", "show", "stripe")
	says("  order-7  event 2, attempt 1  since", "limit", "show", "stripe")
	says("in code     1", "limit", "show", "stripe")
	says("changed     set to 5 by an unknown actor", "limit", "show", "stripe")
	says("limit stripe is now 0", "limit", "set", "stripe", "0")
	says("stripe\t0\t1\t2\t5m00s ago\tunknown", "limit", "list")
	says("changed     set to 0 by an unknown actor", "limit", "show", "stripe")
	says("limit stripe uses the number in the code again", "limit", "reset", "stripe")
	says("changed     reset by an unknown actor", "limit", "show", "stripe")
	says(`"waiting": [`, "limit", "show", "stripe", "--output", "json")
	says("rate api is now 5 per 1m0s", "limit", "set", "api", "5", "--per", "1m")
	says("api\t5 per 1m0s\t–\t0\t–\tunknown\tactivities (rate)", "limit", "list")
	says("rate        api\nstarts      5 per 1m0s\nin code     not known, because no attempt has waited", "limit", "show", "api")
	says("changed     set to 5 per 1m0s by an unknown actor", "limit", "show", "api")
	says("rate api is now 0", "limit", "set", "api", "0", "--rate")
	says("rate api uses the number in the code again", "limit", "reset", "api", "--rate")
	if r := newBench(t).run("limit", "list"); r.status == exitOK || !strings.Contains(r.err, "store of activities") {
		t.Errorf("without the activities table: %+v", r)
	}
}

func TestWhatALimitCannotBeIsAUsageError(t *testing.T) {
	t.Parallel()
	b := limited(t)
	b.fails(exitUsage, []string{"PERMITS is 101; it must be from 0 to 100"}, "limit", "set", "stripe", "101")
	b.fails(exitUsage, []string{`PERMITS is "many"`}, "limit", "set", "stripe", "many")
	b.fails(exitUsage, []string{"the key of the limit has 10000 bytes"}, "limit", "show", strings.Repeat("x", 10_000))
	b.fails(exitUsage, []string{"limit set needs KEY PERMITS"}, "limit", "set", "stripe")
	b.fails(exitUsage, []string{"give --instances or --rate, not both"}, "limit", "set", "stripe", "5", "--per", "1m", "--instances")
	b.fails(exitUsage, []string{"--per -1s: must be whole milliseconds"}, "limit", "set", "stripe", "5", "--per", "-1s")
	b.fails(exitNotFound, []string{`limit "other" does not exist`}, "limit", "show", "other")
}

// limitedInstances is a command line over a stack with a limit of 1, under which order-1 runs and order-2
// waits.
func limitedInstances(t *testing.T) *bench {
	t.Helper()
	b := limited(t)
	line := coordination.State{Key: "import ada", N: 1, Declared: 1, Length: 1,
		Running: []coordination.Request{{Instance: "order-1", ExecutionID: 1, SinceMS: b.clock.now.Add(-time.Minute).UnixMilli()}},
		Waiting: []coordination.Request{{Instance: "order-2", ExecutionID: 1, SinceMS: b.clock.now.UnixMilli()}}}
	status, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	b.put(store.Record{Instance: "limit:import ada", ExecutionID: 1, Name: coordination.Orchestration, Status: store.StatusRunning, CreatedAt: b.clock.now, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: status}})})
	b.put(store.Record{Instance: "order-2", ExecutionID: 1, Name: "Import", Status: store.StatusQueued, CreatedAt: b.clock.now,
		Suspension: &store.Suspension{EventID: 2, SinceMS: b.clock.now.UnixMilli(), LimitKey: "import ada"}})
	return b
}

func TestALimitOfInstancesByTheCommandLine(t *testing.T) {
	t.Parallel()
	b := limitedInstances(t)
	says := func(want string, args ...string) {
		t.Helper()
		if out := b.ok(args...); !strings.Contains(out, want) {
			t.Errorf("%q: %q, want %q", args, out, want)
		}
	}
	says("import ada\t1\t1\t1\t0ms ago\t–\tinstances\n", "limit", "list")
	says("coordinator limit:import ada\nwaiting     1\npermits     1, 1 held", "limit", "show", "import ada")
	says(`"coordinator_status": "running"`, "limit", "show", "import ada", "--output", "json")
	says("limit import ada is now 5", "limit", "set", "import ada", "5", "--instances")
	says("limit import ada uses the number in the code again", "limit", "reset", "import ada", "--instances")
	says("order-2 moves to the front of the waiting list", "limit", "first", "order-2")
	says("order-2", "list", "--status", "queued")
	says("waits for a permit of limit import ada", "list", "--status", "queued")
	says("queued under the limit import ada: since", "describe", "order-2")
	b.fails(exitUsage, []string{"does not wait for a permit of a limit"}, "limit", "first", "limit:import ada")
	b.fails(exitNotFound, []string{"limit:unknown"}, "limit", "set", "unknown", "5", "--instances")
	b.fails(exitUsage, []string{"it must be KEY=N"}, "start", "Import", "--limit", "imports")
}
