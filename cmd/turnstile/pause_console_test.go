package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// A program that serves its console pauses its queues by itself, and keeps who asked for it.
func TestAQueueOfAProgramIsPausedByItsConsole(t *testing.T) {
	t.Parallel()
	run := beside(t)
	says := func(want string, args ...string) string {
		t.Helper()
		r := run(args...)
		if r.status != exitOK || !strings.Contains(r.out+r.err, want) {
			t.Errorf("%q: %+v, want %q", args, r, want)
		}
		return r.out
	}
	says("queue default is paused", "pause", "--queue", "default", "--actor", "ada")
	says("paused already", "pause", "--queue", "default", "--actor", "bob")
	var stack api.Stack
	if text := says("", "pause", "--queue", "default", "--output", "json"); json.Unmarshal([]byte(text), &stack) != nil || len(stack.Sources) != 1 || stack.Sources[0].State != "Disabled" || stack.Sources[0].ChangedAt.IsZero() {
		t.Errorf("paused is %q", text)
	}
	says("activity\tEnabled", "unpause", "--queue", "default")
	for _, wrong := range []struct {
		status int
		says   string
		args   []string
	}{{exitNotFound, `no activity queue "gpu"`, []string{"pause", "--queue", "gpu"}}, {exitFailed, "--queue NAME pauses", []string{"pause"}}} {
		if r := run(wrong.args...); r.status != wrong.status || !strings.Contains(r.err, wrong.says) {
			t.Errorf("%q: %+v, want %q", wrong.args, r, wrong.says)
		}
	}
}

// Whoever looks at an instance whose activity waits in a paused queue is told, wherever that is.
func TestViewsOfWaitingInstancesShowThePausedQueue(t *testing.T) {
	t.Parallel()
	run := beside(t)
	for _, args := range [][]string{{"pause", "--queue", "default", "--actor", "ada"}, {"start", "Fulfil", "--instance", "order-1", "--input", `{"id":"order-1"}`}} {
		if r := run(args...); r.status != exitOK {
			t.Fatalf("%q: %v", args, r)
		}
	}
	const says = "the queue default is paused by ada since 2030-"
	for ctx := t.Context(); ; { // Its first turn may be under way.
		if r := run("describe", "order-1"); r.status == exitOK && strings.Contains(r.out, "activity Charge") || ctx.Err() != nil {
			break
		}
	}
	for _, args := range [][]string{{"describe", "order-1"}, {"doctor"}} {
		if r := run(args...); !strings.Contains(r.out, says) {
			t.Errorf("%q says\n%s%s\nwant %q", args, r.out, r.err, says)
		}
	}
	var attempts api.Attempts
	if r := run("attempts", "order-1", "2", "--output", "json"); json.Unmarshal([]byte(r.out), &attempts) != nil || attempts.Paused == nil || attempts.Paused.By != "ada" {
		t.Errorf("its attempts are %s", r.out)
	}
	var d api.Instance
	if r := run("describe", "order-1", "--output", "json"); json.Unmarshal([]byte(r.out), &d) != nil || len(d.PendingOperations) != 1 || d.PendingOperations[0].Paused == nil || d.PendingOperations[0].Paused.By != "ada" {
		t.Errorf("it waits for %s", r.out)
	}
	if r := run("unpause", "--queue", "default"); r.status != exitOK {
		t.Errorf("%v", r)
	}
	for _, args := range [][]string{{"describe", "order-1"}, {"doctor"}} {
		if r := run(args...); strings.Contains(r.out, "is paused") {
			t.Errorf("%q says\n%s", args, r.out)
		}
	}
}
