package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// O-01: of an instance that runs, describe tells what it waits for.
func TestO01DescribeShowsWhatAnInstanceWaitsFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := func(d time.Duration) int64 { return epoch.Add(d).UnixMilli() }
	b.put(store.Record{Instance: "order-5-ship", Name: "Ship", Status: store.StatusStuck, CreatedAt: epoch.Add(-time.Hour),
		Problem: &store.Problem{Kind: "panic", Message: "panic: no carrier", EventID: 1, SinceMS: at(-time.Hour), Tries: 3}})
	b.put(store.Record{Instance: "order-5", Name: "Fulfil", Version: "1.2", Status: store.StatusRunning, StartID: "s-5", CreatedAt: epoch.Add(-2 * time.Hour)},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Version: "1.2", AtMS: at(-2 * time.Hour), Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge", AtMS: at(-2 * time.Hour)},
		history.Event{Kind: history.ActivityScheduled, Name: "Reserve", AtMS: at(-2 * time.Hour)},
		history.Event{Kind: history.TimerCreated, Label: "grace period", DurationMS: 3_600_000, FireAtMS: at(30 * time.Minute), AtMS: at(-30 * time.Minute)},
		history.Event{Kind: history.TimerCreated, DurationMS: 60_000, FireAtMS: at(-59 * time.Minute), AtMS: at(-time.Hour)},
		history.Event{Kind: history.ExternalSubscribed, Name: "approved", AtMS: at(-time.Hour)},
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "order-5-ship", AtMS: at(-time.Hour)},
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: "order-5-later", AtMS: at(-time.Hour)},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 3, AtMS: at(-time.Hour)})
	golden(t, "describe-waiting.txt", b.ok("describe", "order-5"))
	golden(t, "describe-waiting.json", b.ok("describe", "order-5", "--output", "json"))

	events := []history.Event{{Kind: history.OrchestrationStarted, Name: "Wide", AtMS: at(0), Start: &history.Start{ExecutionID: 1}}}
	for i := range 30 {
		events = append(events, history.Event{Kind: history.ActivityScheduled, Name: fmt.Sprint("A", i), AtMS: at(0)})
	}
	b.put(store.Record{Instance: "wide", Name: "Wide", Status: store.StatusRunning, CreatedAt: epoch}, events...)
	if out := b.ok("describe", "wide"); !strings.Contains(out, "activity A19") || strings.Contains(out, "A20") || !strings.Contains(out, "and 10 more") {
		t.Errorf("of thirty activities it shows\n%s", out)
	}
	if out := b.ok("describe", "wide", "--output", "json"); !strings.Contains(out, `"A29"`) {
		t.Errorf("not all are in the JSON form:\n%s", out)
	}
}

// A payload of 9 KB is not printed as 40 MB of spaces.
func TestADeeplyNestedPayloadIsShownInALengthLikeItsOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	deep := strings.Repeat("[", 1000) + strings.Repeat("1,", 3500) + "1" + strings.Repeat("]", 1000)
	b.put(store.Record{Instance: "deep", Name: "Deep", Status: store.StatusCompleted, CreatedAt: epoch, UpdatedAt: epoch, EndedAt: epoch, Output: []byte(deep), States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(deep)}})},
		history.Event{Kind: history.OrchestrationStarted, Name: "Deep", Payload: []byte(deep), Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.OrchestrationCompleted, Payload: []byte(deep)})
	for _, line := range []string{"describe deep", "describe deep --output json", "list --output json", "history deep", "history deep --output json", "history deep --export", "timeline deep", "timeline deep --output json", "watch deep"} {
		for _, columns := range []int{0, 100} {
			b.columns = columns
			if out := b.ok(strings.Fields(line)...); len(out) > 20*len(deep) {
				t.Errorf("turnstile %s (%d columns) prints %d bytes of payloads with %d", line, columns, len(out), len(deep))
			}
		}
	}
}
