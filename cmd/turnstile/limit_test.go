package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// limited is a command line over a stack with a limit of 1, which one attempt has and for which
// two wait, since ten minutes ago.
func limited(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	activities := memory.NewActivities(b.clock.Now)
	var s limits.State
	for n := range 3 {
		who := limits.Who{ActivityKey: store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: int64(n + 2)}, Attempt: 1}
		s, _, _ = s.Ask(who, "token", 1, b.clock.now, b.clock.now.Add(time.Hour))
	}
	if _, written, err := limits.Write(t.Context(), activities, "stripe", &s, b.clock.now, limits.Retention); err != nil || !written {
		t.Fatal(written, err)
	}
	if err := limits.List(t.Context(), activities, "stripe", b.clock.now, limits.Retention); err != nil {
		t.Fatal(err)
	}
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
	says("limit stripe is 5 now", "limit", "set", "stripe", "5")
	says("permits   5, 1 held", "limit", "show", "stripe")
	says("  order-7  event 2, attempt 1  since", "limit", "show", "stripe")
	says("in code   1", "limit", "show", "stripe")
	says("changed   set to 5 by somebody", "limit", "show", "stripe")
	says("limit stripe is 0 now", "limit", "set", "stripe", "0")
	says("stripe\t0\t1\t2\t5m00s ago\tsomebody", "limit", "list")
	says("changed   set to 0 by somebody", "limit", "show", "stripe")
	says("limit stripe is as the code says", "limit", "reset", "stripe")
	says("changed   reset by somebody", "limit", "show", "stripe")
	says(`"waiting": [`, "limit", "show", "stripe", "--output", "json")
	says("rate api is 5 in 1m0s now", "limit", "set", "api", "5", "--per", "1m")
	says("api\t5 in 1m0s\t–\t0\t–\tsomebody\tactivities, a rate", "limit", "list")
	says("rate      api\nbegin     5 in 1m0s\nin code   not known: no attempt has waited", "limit", "show", "api")
	says("changed   set to 5 in 1m0s by somebody", "limit", "show", "api")
	says("rate api is 0 now", "limit", "set", "api", "0", "--rate")
	says("rate api is as the code says", "limit", "reset", "api", "--rate")
	if r := newBench(t).run("limit", "list"); r.status == exitOK || !strings.Contains(r.err, "store of activities") {
		t.Errorf("without the activities table: %+v", r)
	}
}

func TestWhatALimitCannotBeIsAUsageError(t *testing.T) {
	t.Parallel()
	b := limited(t)
	b.fails(exitUsage, []string{"PERMITS is 101, it must be from 0 to 100"}, "limit", "set", "stripe", "101")
	b.fails(exitUsage, []string{`PERMITS is "many"`}, "limit", "set", "stripe", "many")
	b.fails(exitUsage, []string{"the key of the limit has 10000 bytes"}, "limit", "show", strings.Repeat("x", 10_000))
	b.fails(exitUsage, []string{"limit set needs KEY PERMITS"}, "limit", "set", "stripe")
	b.fails(exitUsage, []string{"give --instances or --rate, not both"}, "limit", "set", "stripe", "5", "--per", "1m", "--instances")
	b.fails(exitUsage, []string{"--per -1s: whole milliseconds"}, "limit", "set", "stripe", "5", "--per", "-1s")
	b.fails(exitNotFound, []string{`limit "other" is not known`}, "limit", "show", "other")
}

// limitedInstances is a command line over a stack with a limit of 1, under which order-1 runs and order-2
// waits.
func limitedInstances(t *testing.T) *bench {
	t.Helper()
	b := limited(t)
	line := gating.Line{Key: "import ada", N: 1, Declared: 1, Length: 1,
		Running: []gating.Place{{Instance: "order-1", ExecutionID: 1, SinceMS: b.clock.now.Add(-time.Minute).UnixMilli()}},
		Waiting: []gating.Place{{Instance: "order-2", ExecutionID: 1, SinceMS: b.clock.now.UnixMilli()}}}
	status, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	b.put(store.Record{Instance: "limit:import ada", ExecutionID: 1, Name: gating.Orchestration, Status: store.StatusRunning, CreatedAt: b.clock.now, CustomStatus: status})
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
	says("gate      limit:import ada\nwaiting   1\npermits   1, 1 held", "limit", "show", "import ada")
	says(`"gate_status": "running"`, "limit", "show", "import ada", "--output", "json")
	says("limit import ada is 5 now", "limit", "set", "import ada", "5", "--instances")
	says("limit import ada is as the code says", "limit", "reset", "import ada", "--instances")
	says("order-2 becomes the first of those that wait", "limit", "first", "order-2")
	says("order-2", "list", "--status", "queued")
	says("waits for its turn under the limit import ada", "list", "--status", "queued")
	says("queued under the limit import ada: since", "describe", "order-2")
	b.fails(exitUsage, []string{"waits for no turn under a limit"}, "limit", "first", "limit:import ada")
	b.fails(exitNotFound, []string{"limit:unknown"}, "limit", "set", "unknown", "5", "--instances")
	b.fails(exitUsage, []string{"it is not KEY=N"}, "start", "Import", "--limit", "imports")
}
