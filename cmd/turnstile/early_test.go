package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// sleeping puts an instance that waits for a timer of two days.
func sleeping(b *bench) {
	b.put(store.Record{Instance: "sleeps", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.TimerCreated, DurationMS: 1, FireAtMS: epoch.Add(48 * time.Hour).UnixMilli()})
}

func TestATimerIsFiredEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sleeping(b)
	if out := b.ok("fire", "sleeps", "2", "--dry-run"); !strings.Contains(out, "due 2030-01-03") {
		t.Errorf("the dry run says\n%s", out)
	}
	b.fails(exitUsage, []string{`"two" is neither an event number nor the label of a pending timer of sleeps`}, "fire", "sleeps", "two")
	b.fails(exitFailed, []string{"is not an open timer"}, "fire", "sleeps", "1")
	b.fails(exitNotFound, []string{"nobody"}, "fire", "nobody", "2")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 {
		t.Fatalf("sent were %+v", sent)
	}
	b.ok("fire", "sleeps", "2", "--reason", "by phone", "--actor", "ada")
	sent := b.queue(deadletter.Orchestrator).Peek()
	if len(sent) != 1 {
		t.Fatalf("sent were %+v", sent)
	}
	for _, want := range []string{`"FireTimer"`, `"execution_id":1`, `"source_event_id":2`, `"by phone"`, `"actor":"ada"`} {
		if !strings.Contains(sent[0].Body, want) {
			t.Errorf("sent was %s, without %s", sent[0].Body, want)
		}
	}
}

// A timer is known by its label too, where one alone has it.
func TestATimerIsFiredByItsLabel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	timer := func(label string, hours int) history.Event {
		return history.Event{Kind: history.TimerCreated, Label: label, FireAtMS: epoch.Add(time.Duration(hours) * time.Hour).UnixMilli()}
	}
	b.put(store.Record{Instance: "sleeps", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.ExternalSubscribed, Name: "paid", Label: "grace period"},
		timer("grace period", 1), timer("grace period", 2), timer("last call", 3), timer("", 4),
		history.Event{Kind: history.TimerFired, SourceEventID: 3})
	if out := b.ok("fire", "sleeps", "grace period", "--dry-run"); !strings.Contains(out, "timer 4 of sleeps") {
		t.Errorf("the dry run says\n%s", out)
	}
	b.fails(exitUsage, []string{`its timers have the labels "grace period", "last call"`}, "fire", "sleeps", "Grace period")
	b.put(store.Record{Instance: "twice", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}}, timer("retry", 1), timer("retry", 2))
	b.fails(exitUsage, []string{`2 pending timers of twice have the label "retry"`, "one of the event numbers 2, 3"}, "fire", "twice", "retry")
	b.ok("fire", "sleeps", "last call")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 || !strings.Contains(sent[0].Body, `"source_event_id":5`) {
		t.Errorf("sent were %+v", sent)
	}
}

func TestAnAgentFiresATimer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sleeping(b)
	a := b.agent("--allow-actions", "--actor", "agent of ada")
	a.says("fire_timer", `{"instance":"sleeps","event_id":2,"dry_run":true}`, `"sent":false`, `"due_at":"2030-01-03`)
	a.refuses("fire_timer", `{"instance":"sleeps","event_id":1}`, "is not an open timer")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 {
		t.Fatalf("sent were %+v", sent)
	}
	a.says("fire_timer", `{"instance":"sleeps","event_id":2,"reason":"by phone"}`, `"sent":true`)
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 || !strings.Contains(sent[0].Body, `"FireTimer"`) {
		t.Errorf("sent were %+v", sent)
	}
}

// retrying puts an instance whose activity waits for its third attempt.
func retrying(t *testing.T, b *bench) {
	t.Helper()
	b.put(store.Record{Instance: "books", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.ActivityScheduled, Name: "Book"}, history.Event{Kind: history.ActivityScheduled, Name: "Ship"})
	activities := memory.NewActivities(b.clock.Now)
	err := activities.NoteNext(t.Context(), store.ActivityKey{Instance: "books", ExecutionID: 1, EventID: 2},
		store.NextAttempt{Attempt: 3, DueAt: epoch.Add(48 * time.Hour), NotedAt: epoch, Kind: history.FailureApplication, Message: "closed"}, epoch.Add(72*time.Hour))
	if err == nil {
		b.made, err = client.New(client.Config{Store: b.store, Activities: activities, Queue: b.queue(deadletter.Orchestrator), Clock: b.clock})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnActivityIsRetriedNow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	retrying(t, b)
	if out := b.ok("retry", "books", "2", "--dry-run"); !strings.Contains(out, "attempt 3 of activity 2 of books would start now; it is due 2030-01-03") {
		t.Errorf("the dry run says\n%s", out)
	}
	b.fails(exitFailed, []string{"no attempt of activity 3"}, "retry", "books", "3")
	b.fails(exitFailed, []string{"is not an open activity"}, "retry", "books", "1")
	a := b.agent("--allow-actions")
	a.says("retry_now", `{"instance":"books","event_id":2,"dry_run":true}`, `"sent":false`, `"due_at":"2030-01-03`, `"attempt":3`)
	a.refuses("retry_now", `{"instance":"books","event_id":3}`, "no attempt")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 {
		t.Fatalf("sent were %+v", sent)
	}
	b.ok("retry", "books", "2")
	a.says("retry_now", `{"instance":"books","event_id":2}`, `"sent":true`)
	sent := b.queue(deadletter.Orchestrator).Peek()
	if len(sent) != 2 {
		t.Fatalf("sent were %+v", sent)
	}
	for _, m := range sent {
		for _, want := range []string{`"RetryActivity"`, `"execution_id":1`, `"source_event_id":2`, `"attempt":3`} {
			if !strings.Contains(m.Body, want) {
				t.Errorf("sent was %s, without %s", m.Body, want)
			}
		}
	}
}
