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
	}{{exitNotFound, `no activity queue "gpu"`, []string{"pause", "--queue", "gpu"}}, {exitFailed, "paused with --queue NAME", []string{"pause"}}} {
		if r := run(wrong.args...); r.status != wrong.status || !strings.Contains(r.err, wrong.says) {
			t.Errorf("%q: %+v, want %q", wrong.args, r, wrong.says)
		}
	}
}
