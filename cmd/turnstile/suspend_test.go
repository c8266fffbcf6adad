package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/store"
)

func TestInstancesAreSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	started := history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}}
	b.put(store.Record{Instance: "runs", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started)
	b.put(store.Record{Instance: "stuck", ExecutionID: 1, Name: "Fulfil", Status: store.StatusStuck, CreatedAt: epoch, Problem: &store.Problem{Kind: "panic"}}, started)
	b.put(store.Record{Instance: "held", ExecutionID: 1, Name: "Fulfil", Status: store.StatusSuspended, CreatedAt: epoch,
		Suspension: &store.Suspension{EventID: 2, SinceMS: epoch.UnixMilli(), Reason: "the bank is down", Actor: "ada"}}, started,
		history.Event{Kind: history.OrchestrationSuspended, Reason: "the bank is down", Actor: "ada", SenderID: "s"})
	b.putEnded("done", store.StatusCompleted)

	if out := b.ok("list", "--status", "suspended"); !strings.Contains(out, "the bank is down") || !strings.Contains(out, "held") {
		t.Errorf("suspended are\n%s", out)
	}
	if out := b.ok("describe", "held"); !strings.Contains(out, "event 2, by ada") || !strings.Contains(out, "the bank is down") || !strings.Contains(out, "`turnstile resume` continues it") {
		t.Errorf("it is described as\n%s", out)
	}
	b.fails(exitUsage, []string{"resume needs INSTANCE"}, "resume")
	b.fails(exitUsage, []string{"suspend does not apply to --status completed"}, "suspend", "--status", "completed")
	b.fails(exitFailed, []string{"done"}, "suspend", "done")
	if r := b.run("suspend", "--name", "Fulfil", "--dry-run"); r.status != exitOK || r.out != "runs\nstuck\n" {
		t.Errorf("%+v", r)
	}
	b.ok("suspend", "--name", "Fulfil", "--reason", "the bank is down", "--yes", "2")
	b.ok("resume", "--name", "Fulfil", "--yes", "1")
	var kinds []string
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		for _, kind := range []string{`"SuspendInstance"`, `"ResumeInstance"`} {
			if strings.Contains(m.Body, kind) {
				kinds = append(kinds, kind)
			}
		}
		if strings.Contains(m.Body, `"SuspendInstance"`) != strings.Contains(m.Body, `"reason":"the bank is down"`) {
			t.Errorf("sent was %s", m.Body)
		}
	}
	if got := strings.Join(kinds, " "); got != `"SuspendInstance" "SuspendInstance" "ResumeInstance"` {
		t.Errorf("sent were %s", got)
	}
}

func TestADelayedStartIsRescheduled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(store.Record{Instance: "later", ExecutionID: 1, Name: "Fulfil", Status: store.StatusScheduled, CreatedAt: epoch,
		Suspension: &store.Suspension{EventID: 2, SinceMS: epoch.UnixMilli(), UntilMS: epoch.Add(48 * time.Hour).UnixMilli()}},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.OrchestrationSuspended, FireAtMS: epoch.Add(48 * time.Hour).UnixMilli()})
	b.put(store.Record{Instance: "runs", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch})
	if out := b.ok("list", "--status", "scheduled"); !strings.Contains(out, "later") || !strings.Contains(out, "starts 2030-01-03") {
		t.Errorf("scheduled are\n%s", out)
	}
	b.ok("start", "Fulfil", "--instance", "one", "--after", "2h")
	b.ok("reschedule", "later", "--at", "2031-01-01")
	b.fails(exitUsage, []string{"give --at or --after"}, "start", "Fulfil", "--at", "2031-01-01", "--after", "1h")
	b.fails(exitUsage, []string{`--at "tomorrow": must be a time`}, "reschedule", "later", "--at", "tomorrow")
	b.fails(exitUsage, []string{"needs --at TIME or --after TIME"}, "reschedule", "later")
	b.fails(exitFailed, []string{"not suspended"}, "reschedule", "runs", "--after", "1h")
	var sent string
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		sent += m.Body + "\n"
	}
	for _, want := range []string{`"not_before_ms":` + fmt.Sprint(epoch.Add(2*time.Hour).UnixMilli()), `"SuspendInstance"`, `"scheduling_event_id":2`} {
		if !strings.Contains(sent, want) {
			t.Errorf("sent was\n%swithout %s", sent, want)
		}
	}
}
