package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
)

// beside is a command line beside a program that serves its console.
func beside(t *testing.T) func(args ...string) result { return besideOf(t, fulfilment()) }

func besideOf(t *testing.T, app *turnstile.App) func(args ...string) result {
	t.Helper()
	e, err := embedded.New(app, embedded.WithVirtualTime(epoch))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := console.Handler(e.Client(), append(e.ConsoleOptions(), console.AllowActions())...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		server.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return func(args ...string) result {
		t.Helper()
		var out, errs strings.Builder
		c := cli{in: strings.NewReader(""), out: &out, err: &errs, now: epochNow, open: backend.Open, getenv: func(name string) string {
			if name == "TURNSTILE_CONSOLE_URL" {
				return server.URL
			}
			return ""
		}}
		status := c.run(t.Context(), args)
		return result{status, out.String(), errs.String()}
	}
}

// What a command does on a stack it does by a console's API too.
func TestCommandsWorkByTheAPIOfAConsole(t *testing.T) {
	t.Parallel()
	run := beside(t)
	ok := func(args ...string) string {
		t.Helper()
		r := run(args...)
		if r.status != exitOK {
			t.Fatalf("turnstile %s: %v", strings.Join(args, " "), r)
		}
		return r.out
	}
	fails := func(status int, says string, args ...string) {
		t.Helper()
		if r := run(args...); r.status != status || !strings.Contains(r.err, says) {
			t.Errorf("turnstile %s: exit status %d, want %d that says %q: %v", strings.Join(args, " "), r.status, status, says, r)
		}
	}
	if got := ok("start", "Fulfil", "--instance", "a/1", "--input", `{"id":"a/1"}`, "--search", `customer = "ada"`, "--event", `approved="ada"`, "--wait", "--actor", "Ada L"); got != "\"receipt for a/1 approved by ada\"\n" {
		t.Errorf("start --wait prints %q", got)
	}
	fails(exitFailed, "already exists", "start", "Fulfil", "--instance", "a/1")
	fails(exitUsage, "orchestration name", "start", "")
	ok("start", "Fulfil", "--instance", "b", "--input", `{"id":"b"}`)
	if r := run("wait", "b", "--timeout", "300ms"); r.status != exitTimeout {
		t.Errorf("wait: %v", r)
	}
	if out := ok("list"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "a/1\tFulfil\tcompleted") {
		t.Errorf("listed are\n%s", out)
	}
	if out := ok("list", "--where", `customer = "ada"`, "--since", "2000-01-01", "--ids"); out != "a/1\n" {
		t.Errorf("found are %q", out)
	}
	if out := ok("list", "--count"); !strings.Contains(out, "completed\t1\n") || !strings.Contains(out, "running\t1\n") {
		t.Errorf("counted are\n%s", out)
	}
	if out := ok("list", "--count", "--status", "running"); out != "running\t1\n" {
		t.Errorf("counted are\n%s", out)
	}
	if out := ok("describe", "b"); !strings.Contains(out, "event 4  event approved") && !strings.Contains(out, "event approved") {
		t.Errorf("described is\n%s", out)
	}
	if out := ok("history", "a/1", "--all"); !strings.Contains(out, "OrchestrationCompleted") || !strings.Contains(out, "Charge") || !strings.Contains(out, "by Ada L") {
		t.Errorf("its history is\n%s", out)
	}
	if out := ok("timeline", "a/1"); !strings.Contains(out, "\tactivity\tCharge\tdone\t") {
		t.Errorf("its timeline is\n%s", out)
	}
	if r := run("watch", "a/1"); !strings.Contains(r.out, "\tActivityScheduled\t") || !strings.Contains(r.err, "completed") {
		t.Errorf("watched is\n%v", r)
	}
	if r := run("watch", "a/1", "--new"); r.out != "" || !strings.Contains(r.err, "completed") {
		t.Errorf("watched is\n%v", r)
	}
	for line := range strings.Lines(ok("watch", "a/1", "--output", "json")) {
		if !json.Valid([]byte(line)) {
			t.Errorf("watch --output json prints %s", line)
		}
	}
	if out := ok("cost", "a/1", "--output", "json"); !strings.Contains(out, `"dollars": 0.0000`) {
		t.Errorf("its cost is %s", out)
	}
	fails(exitNotFound, `no instance "nobody"`, "timeline", "nobody")
	fails(exitNotFound, `no instance "nobody"`, "wake", "nobody")
	fails(exitFailed, "has already ended", "cancel", "a/1")
	fails(exitFailed, "it would have no effect", "raise", "a/1", "approved")
	fails(exitFailed, "still running", "purge", "b")
	fails(exitFailed, "completion token", "complete", "nonsense")
	fails(exitFailed, "completion token", "fail", "nonsense", "--message", "x")
	fails(exitFailed, "completion token", "heartbeat", "nonsense")
	fails(exitUsage, "needs --message", "fail", "nonsense")
	if out := ok("dead-letter", "list", "--output", "json"); out != "{\n  \"letters\": []\n}\n" {
		t.Errorf("its dead letters are %s", out)
	}
	fails(exitFailed, "already has a console", "console")
	fails(exitFailed, "stop it to pause it", "pause")
	ok("raise", "b", "approved", "--data", `"eve"`)
	ok("wait", "b")
	ok("purge", "--status", "completed", "--yes", "2")
	for run("describe", "b").status == exitOK {
	}
	fails(exitNotFound, `instance "b" has been purged`, "wait", "b")
	fails(exitNotFound, `instance "b" has been purged`, "watch", "b")
	fails(exitFailed, "purged", "start", "Fulfil", "--instance", "b")
	// Time is virtual there, and has gone on.
	fails(exitFailed, "1 problem", "doctor")
}

// Package schedule tells errors apart by their types, whatever client it is given.
func TestASchedulesLifeByTheAPIOfAConsole(t *testing.T) {
	t.Parallel()
	run := besideOf(t, reporting())
	for _, c := range []struct {
		status int
		says   string
		args   string
	}{
		{exitOK, "no schedules", "schedule list"},
		{exitNotFound, `schedule "nightly" not found`, "schedule show nightly"},
		{exitNotFound, `schedule "nightly" not found`, "schedule pause nightly"},
		{exitOK, "schedule nightly will be due at", "schedule create nightly --every 1h --starts Report --input 1"},
		{exitOK, "schedule nightly will be due at", "schedule create nightly --every 1h --starts Report --input 1"},
		{exitFailed, "exists with another definition", "schedule create nightly --every 2h --starts Report --input 1"},
		{exitOK, "schedule nightly updated", "schedule create nightly --every 2h --starts Report --input 1 --update"},
		{exitOK, "schedule daily created", "schedule create daily --every 24h --starts Report --input 1 --update"},
		{exitOK, "schedule daily will be due at", "schedule create daily --every 24h --starts Report --input 1"}, // waits until it exists
		{exitOK, "will be started", "schedule backfill nightly --since 2029-12-31 --until 2030-01-01"},
		{exitOK, "schedule nightly will be paused", "schedule pause nightly"},
		{exitOK, "nightly@trigger-", "schedule trigger nightly"},
		{exitOK, "schedule daily will be deleted", "schedule delete daily"},
	} {
		if r := run(strings.Fields(c.args)...); r.status != c.status || !strings.Contains(r.out+r.err, c.says) {
			t.Errorf("turnstile %s: exit status %d, want %d that says %q: %v", c.args, r.status, c.status, c.says, r)
		}
	}
}

func TestAConsoleThatDoesNotAnswerIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   string
		status int
		says   []string
	}{
		{"--console http://127.0.0.1:1/ list", exitFailed, []string{"no console responds at http://127.0.0.1:1/", "turnstile dev"}},
		{"--console nowhere list", exitUsage, []string{`--console "nowhere"`, "http://127.0.0.1:8876/"}},
		{"--local list", exitFailed, []string{"`turnstile dev` is not running in"}},
	} {
		var out, errs strings.Builder
		line := cli{in: strings.NewReader(""), out: &out, err: &errs, now: epochNow, open: backend.Open, getenv: func(string) string { return "" }}
		status := line.run(t.Context(), strings.Fields(c.args))
		if status != c.status {
			t.Errorf("turnstile %s: exit status %d, want %d: %s", c.args, status, c.status, errs.String())
		}
		for _, want := range c.says {
			if !strings.Contains(errs.String(), want) {
				t.Errorf("turnstile %s says %q, without %q", c.args, errs.String(), want)
			}
		}
	}
}
