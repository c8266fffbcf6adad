package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// tries has an instance of which one activity is tried again, one was done at once and
// one failed.
func tries(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.put(store.Record{Instance: "order-7", Name: "Fulfil", Status: store.StatusRunning, StartID: "s-7", CreatedAt: epoch.Add(-time.Hour), UpdatedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at(-time.Hour), Start: &history.Start{ExecutionID: 1, StartID: "s-7"}},
		history.Event{Kind: history.ActivityScheduled, Name: "Reserve", AtMS: at(-time.Hour)},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge", AtMS: at(-time.Hour), Retry: &history.Retry{MaxAttempts: 9}},
		history.Event{Kind: history.ActivityScheduled, Name: "Mail", AtMS: at(-time.Hour)},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 2, AtMS: at(-59 * time.Minute), StartedAtMS: at(-time.Hour), Attempt: 1},
		history.Event{Kind: history.ActivityFailed, SourceEventID: 4, AtMS: at(-59 * time.Minute), StartedAtMS: at(-time.Hour), Attempt: 1, RequestID: "8f5c1f0e",
			Failure: &history.Failure{Kind: history.FailureApplication, Message: "no such\naddress", Attempt: 1}},
	)
	activities := memory.NewActivities(b.clock.Now)
	for n := 3; n <= 7; n++ {
		noted := epoch.Add(time.Duration(n-10) * time.Minute)
		next := store.NextAttempt{Attempt: n, NotedAt: noted, DueAt: noted.Add(10 * time.Minute), StartedAt: noted.Add(-1500 * time.Millisecond), RequestID: "req-" + string(rune('0'+n-1)), Kind: "timeout", Message: "no answer"}
		if n == 6 {
			next.Actor = "ada"
		}
		if err := activities.NoteNext(t.Context(), store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: 3}, next, epoch.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if b.made, err = client.New(client.Config{Store: b.store, Activities: activities, Queue: b.queue("orchestrator"), Clock: b.clock}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAttemptsAreListedWithErrorTimeAndWorker(t *testing.T) {
	t.Parallel()
	b := tries(t)
	golden(t, "attempts-rows.txt", b.ok("attempts", "order-7"))
	b.columns, b.env["NO_COLOR"] = 120, "1"
	golden(t, "attempts.txt", b.ok("attempts", "order-7"))
	if out := b.ok("attempts", "order-7", "3", "--output", "json"); !strings.Contains(out, `"request_id": "req-6"`) || strings.Contains(out, "Mail") {
		t.Errorf("of the event alone it is\n%s", out)
	}
	if out := b.ok("attempts", "order-7", "2", "--execution", "1"); !strings.Contains(out, "Reserve") || !strings.Contains(out, "done") {
		t.Errorf("of one that was made once it is\n%s", out)
	}
	b.fails(exitNotFound, []string{"event 5 of instance", "does not schedule an activity"}, "attempts", "order-7", "5")
	b.fails(exitNotFound, []string{"execution 2", "the newest 1"}, "attempts", "order-7", "--execution", "2")
	b.fails(exitNotFound, []string{`no instance "x"`}, "attempts", "x")
	b.fails(exitUsage, []string{`EVENT is "x"`}, "attempts", "order-7", "x")
	b.fails(exitUsage, []string{"--execution -1"}, "attempts", "order-7", "--execution", "-1")

	s := sampled(t)
	if r := s.run("attempts", "order-4"); r.status != exitOK || r.out != "" || !strings.Contains(r.err, "no activity of order-4") {
		t.Errorf("of one without: %+v", r)
	}
	if out := s.ok("attempts", "order-1", "--output", "json"); !strings.Contains(out, "has no access to the activities table") {
		t.Errorf("without the table of activities it is\n%s", out)
	}
}
