package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/store"
)

// putEnded stores an instance that has ended, with its history.
func (b *bench) putEnded(id string, status store.Status) {
	b.put(store.Record{Instance: id, ExecutionID: 1, Name: "Fulfil", Status: status, StartID: "s-" + id, CreatedAt: epoch, EndedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Payload: []byte(`{"id":"` + id + `"}`), Start: &history.Start{ExecutionID: 1, StartID: "s-" + id}},
		history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: "application", Message: "out of paper"}})
}

func TestARestartSendsStartsThatRestart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 3 {
		b.putEnded(fmt.Sprint("o-", n), store.StatusFailed)
	}
	b.putEnded("done", store.StatusCompleted)
	b.put(store.Record{Instance: "runs", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch})

	b.fails(exitFailed, []string{"still running", "before you restart it"}, "restart", "runs")
	b.fails(exitUsage, []string{"--input needs INSTANCE…"}, "restart", "--status", "failed", "--input", "1", "--yes", "3")
	if r := b.run("restart", "--name", "Fulfil", "--dry-run"); r.status != exitOK || strings.Contains(r.out, "done") || !strings.Contains(r.err, "would restart 3 instances") {
		t.Errorf("%+v", r)
	}
	if sent := b.sentFor(); len(sent) != 0 {
		t.Errorf("sent were %v", sent)
	}
	b.ok("restart", "done", "--input", `{"id":"new"}`)
	b.ok("restart", "--name", "Fulfil", "--yes", "3")
	if sent := b.sentFor(); len(sent) != 4 {
		t.Errorf("sent were %v", sent)
	}
	for n, m := range b.queue(deadletter.Orchestrator).Peek() {
		for _, want := range []string{`"on_conflict":"restart"`, []string{`"input":{"id":"new"}`, `"input":{"id":"o-`}[min(n, 1)], []string{"", `"id":"restart-`}[min(n, 1)]} {
			if !strings.Contains(m.Body, want) {
				t.Errorf("sent was %s, without %s", m.Body, want)
			}
		}
	}
}

// What goes on after an interruption begins instances with the version that the batch was begun with.
func TestARestartThatWasInterruptedKeepsItsVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 30 {
		b.putEnded(fmt.Sprint("o-", n), store.StatusFailed)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	waits := 0
	b.pause = func(ctx context.Context, _ time.Duration) bool {
		if waits++; waits == 10 {
			interrupt()
		}
		return ctx.Err() == nil
	}
	r := b.runWith(ctx, "", "restart", "--status", "failed", "--yes", "30", "--rate", "2", "--version", "1.2")
	said := regexp.MustCompile(`turnstile (restart --resume \S+)\n`).FindStringSubmatch(r.err)
	if r.status != exitInterrupted || said == nil {
		t.Fatalf("%+v", r)
	}
	b.pause = func(context.Context, time.Duration) bool { return true }
	b.ok(strings.Fields(said[1])...)
	sent := b.queue(deadletter.Orchestrator).Peek()
	for _, m := range sent {
		if !strings.Contains(m.Body, `"version":"1.2"`) {
			t.Errorf("sent was %s, without the version", m.Body)
		}
	}
	if len(sent) < 30 {
		t.Errorf("sent were %d starts", len(sent))
	}
}
