package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestStatesAreShownAndOneIsPrintedAsItIs(t *testing.T) {
	b := newBench(t)
	b.put(store.Record{Instance: "order-1", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch, States: history.EncodeStates([]history.State{
		{Name: "progress", Value: []byte(`{"done":3}`), ExecutionID: 1, EventID: 7, AtMS: epoch.Add(-time.Minute).UnixMilli()},
		{Name: "status", Value: []byte(`"packing"`), ExecutionID: 1, EventID: 2, AtMS: epoch.Add(-time.Hour).UnixMilli()},
	})})
	b.put(store.Record{Instance: "order-2", ExecutionID: 1, Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: epoch, EndedAt: epoch})
	prints := func(want []string, args ...string) {
		t.Helper()
		out := b.ok(args...)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%q prints %q, without %q", args, out, w)
			}
		}
	}
	prints([]string{"progress  1.7", "1m", `{"done":3}`, "status", `"packing"`}, "state", "order-1")
	if out := b.ok("state", "order-1", "progress"); out != "{\"done\":3}\n" {
		t.Errorf("it prints %q", out)
	}
	prints([]string{`"event_id": 7`, `"done": 3`}, "state", "order-1", "progress", "--after", "1.6", "--output", "json")
	prints([]string{"{}"}, "state", "order-2", "--output", "json")
	b.fails(exitFailed, []string{`has not set the state "progres"`, `did you mean "progress"?`}, "state", "order-1", "progres")
	b.fails(exitFailed, []string{"it has set no state"}, "state", "order-2", "progress", "--after", "0.0")
	b.fails(exitUsage, []string{"--after", "1.7"}, "state", "order-1", "progress", "--after", "7")
	b.fails(exitUsage, []string{"NAME"}, "state", "order-1", "--after", "1.7")
	b.fails(exitNotFound, []string{"order-9"}, "state", "order-9")
}
