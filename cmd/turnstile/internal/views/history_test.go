package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestAHistoryNamesWhatACompletionIsOf(t *testing.T) {
	t.Parallel()
	at := noon.UnixMilli()
	x := &history.Export{Instance: "order-2", ExecutionID: 2, Events: []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", Version: "1.2", AtMS: at, Start: &history.Start{ExecutionID: 2, Origin: &history.Origin{Instance: "order-2", ExecutionID: 1, EventID: 14}}},
		{EventID: 2, Kind: history.ActivityScheduled, Name: "Charge", AtMS: at, Label: "stock / shelf", Payload: []byte(`{ "amount": 900 }`), Retry: &history.Retry{MaxAttempts: 5}},
		{EventID: 3, Kind: history.ActivityFailed, SourceEventID: 2, AtMS: at + 5000, Failure: &history.Failure{Kind: "application", Code: "declined", Message: "card\ndeclined", Attempt: 5}},
		{EventID: 4, Kind: history.ExternalEvent, Name: "approved", Codec: "aesgcm", AtMS: at + 5000, Payload: []byte("xyz"), Actor: "ada"},
	}}
	d := &client.Description{Instance: "order-2", ExecutionID: 2, Status: client.StatusStuck, Problem: &store.Problem{Kind: "panic", Message: "no carrier", EventID: 3}}
	view := func(s *term.Screen) { views.History(s, d, x, 120) }
	says(t, shown(120, view), "order-2  Fulfil 1.2  execution 2  stuck\nstarted 2030-01-01 12:00:00.000 UTC\n", "continues from order-2 execution 1 event 14", "ActivityScheduled", "Charge", "stock / shelf  up to 5 attempts", `{"amount":900}`,
		"+5.0s", "ActivityFailed", "←2", "Charge", "application declined (attempt 5): card declined", "by ada  [aesgcm, 3 bytes]", "\n4 events in 5.0s\nstuck at event 3: panic: no carrier\n")
	lines := strings.Split(strings.TrimSpace(piped(view)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2], "2\t3\t"+noon.Add(5*time.Second).Format(time.RFC3339Nano)+"\tActivityFailed\t2\t\tapplication declined") {
		t.Errorf("a program gets %q", lines)
	}
}
