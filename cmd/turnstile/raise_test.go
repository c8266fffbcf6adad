package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// A name that nothing waits for is sent with a warning, which says what the instance waits for. A
// misspelt one is refused: TestWhatTheCodeCannotTakeIsRefused has names and data where the code is known.
func TestE10RaisingWhatNothingWaitsForWarns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := func(d time.Duration) int64 { return epoch.Add(d).UnixMilli() }
	started := history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at(-2 * time.Hour), Start: &history.Start{ExecutionID: 1}}
	b.put(store.Record{Instance: "order-1", Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch.Add(-time.Hour)}, started,
		history.Event{Kind: history.ExternalSubscribed, Name: "approved", AtMS: at(-time.Hour)},
		history.Event{Kind: history.ExternalSubscribed, Name: "shipped", AtMS: at(-time.Hour)})
	b.put(store.Record{Instance: "busy", Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch.Add(-time.Hour)}, started,
		history.Event{Kind: history.ActivityScheduled, Name: "Charge", AtMS: at(-time.Hour)})
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"order-1", "delivered"}, `warning: instance "order-1" is not waiting for event "delivered": the event is kept until the code waits for it. ` +
			`The instance waits for event "approved", "shipped"`},
		{[]string{"order-1", "approvd", "--anyway"}, `warning: instance "order-1" is not waiting for event "approvd": the event is kept until the code waits for it. ` +
			`The instance waits for event "approved", "shipped"; did you mean "approved"?`},
		{[]string{"order-1", "approved"}, ""},
		{[]string{"busy", "approved"}, `warning: instance "busy" is not waiting for event "approved": the event is kept until the code waits for it. The instance waits for no event`},
	} {
		r := b.runWith(t.Context(), "", append([]string{"raise"}, c.args...)...)
		want := "sent: event " + c.args[1] + " for " + c.args[0] + "\n"
		if c.says != "" {
			want = c.says + "\n" + want
		}
		if r.status != exitOK || r.err != want {
			t.Errorf("%q: %d\n%s\nwant\n%s", c.args, r.status, r.err, want)
		}
	}
	sent := len(b.sentFor())
	b.fails(exitFailed, []string{"nothing was sent", `did you mean "approved"?`, "--anyway"}, "raise", "order-1", "approvd")
	if now := len(b.sentFor()); now != sent {
		t.Errorf("%d events were sent that are refused", now-sent)
	}
}

func TestE10DescribeListsTheEventsThatNoWaitTook(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := func(d time.Duration) int64 { return epoch.Add(d).UnixMilli() }
	events := []history.Event{
		{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at(-2 * time.Hour), Start: &history.Start{ExecutionID: 1}},
		{Kind: history.ExternalSubscribed, Name: "approved", AtMS: at(-2 * time.Hour)},
		{Kind: history.ExternalEvent, Name: "approvd", AtMS: at(-time.Hour), Actor: "ada\x1b[31m"},
		{Kind: history.ExternalEvent, Name: "approved", AtMS: at(-50 * time.Minute)},
		{Kind: history.ExternalRejected, Name: "approved", SourceEventID: 4, Reason: "it is not an Approval\u202e", AtMS: at(-50 * time.Minute)},
		{Kind: history.ExternalEvent, Name: "approved", AtMS: at(-40 * time.Minute)},
	}
	b.put(store.Record{Instance: "order-1", Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch.Add(-2 * time.Hour)}, events...)
	golden(t, "describe-untaken.txt", b.ok("describe", "order-1"))
	golden(t, "describe-untaken.json", b.ok("describe", "order-1", "--output", "json"))
	// What was left at the end is told too: that is when somebody asks.
	ended := append(events[:3:3], history.Event{Kind: history.OrchestrationCompleted, AtMS: at(-time.Minute)})
	b.put(store.Record{Instance: "order-2", Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: epoch.Add(-2 * time.Hour), EndedAt: epoch.Add(-time.Minute)}, ended...)
	if out := b.ok("describe", "order-2"); !strings.Contains(out, "unconsumed events\n  event 3  approvd") {
		t.Errorf("of one that has ended:\n%s", out)
	}
}
