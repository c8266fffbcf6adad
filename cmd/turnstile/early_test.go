package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
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
	b.fails(exitUsage, []string{`"two" is not the number of an event`}, "fire", "sleeps", "two")
	b.fails(exitFailed, []string{"no open timer"}, "fire", "sleeps", "1")
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

func TestAnAgentFiresATimer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sleeping(b)
	a := b.agent("--allow-actions", "--actor", "agent of ada")
	a.says("fire_timer", `{"instance":"sleeps","event_id":2,"dry_run":true}`, `"sent":false`, `"due_at":"2030-01-03`)
	a.refuses("fire_timer", `{"instance":"sleeps","event_id":1}`, "no open timer")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 {
		t.Fatalf("sent were %+v", sent)
	}
	a.says("fire_timer", `{"instance":"sleeps","event_id":2,"reason":"by phone"}`, `"sent":true`)
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 || !strings.Contains(sent[0].Body, `"FireTimer"`) {
		t.Errorf("sent were %+v", sent)
	}
}
