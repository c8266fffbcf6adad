package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestTwoInstancesAreComparedByTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	put := func(id, input, receipt string, more ...history.Event) {
		b.put(store.Record{Instance: id, Name: "Fulfil", Status: store.StatusRunning, StartID: id, CreatedAt: epoch.Add(-time.Hour), UpdatedAt: epoch},
			append([]history.Event{
				{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at(-time.Hour), Payload: []byte(input), Start: &history.Start{ExecutionID: 1, StartID: id}},
				{Kind: history.ActivityScheduled, Name: "Reserve", AtMS: at(-time.Hour), Payload: []byte(`"tea"`)},
				{Kind: history.ActivityScheduled, Name: "Check", AtMS: at(-time.Hour), Payload: []byte(`"tea"`)},
				{Kind: history.ActivityScheduled, Name: "Charge", Label: "the deposit", AtMS: at(-time.Hour), Payload: []byte(`900`)},
				{Kind: history.ActivityCompleted, SourceEventID: 2, AtMS: at(-59 * time.Minute), Attempt: 1},
				{Kind: history.ActivityCompleted, SourceEventID: 3, AtMS: at(-59 * time.Minute), Attempt: 1},
				{Kind: history.ActivityCompleted, SourceEventID: 4, AtMS: at(-59 * time.Minute), Attempt: 1, Payload: []byte(receipt)},
			}, more...)...)
	}
	put("order-7", `{"id":7}`, `"R-1"`)
	put("order-8", `{"id":8}`, `"R-2"`, history.Event{Kind: history.ExternalSubscribed, Name: "approved \x1b[2J", AtMS: at(-58 * time.Minute)})
	golden(t, "diff-rows.txt", b.ok("diff", "order-7", "order-8"))
	b.columns, b.env["NO_COLOR"] = 90, "1"
	golden(t, "diff.txt", b.ok("diff", "order-7", "order-8"))
	if out := b.ok("diff", "order-7", "order-8", "--all"); strings.Contains(out, "equal operations\n") || !strings.Contains(out, "= activity Reserve") {
		t.Errorf("with all it is\n%s", out)
	}
	if out := b.ok("diff", "order-7", "order-8", "--output", "json"); !strings.Contains(out, `"only_b": 1`) {
		t.Errorf("as JSON it is\n%s", out)
	}
	b.fails(exitNotFound, []string{`no instance "x"`}, "diff", "order-7", "x")
	b.fails(exitNotFound, []string{"no history of execution 2"}, "diff", "order-7", "order-8", "--executions", "1,2")
	b.fails(exitUsage, []string{"has only one execution"}, "diff", "order-7")
	for _, text := range []string{"1", "0,1", "a,b", "1,2,3"} {
		b.fails(exitUsage, []string{"--executions " + text}, "diff", "order-7", "--executions", text)
	}
}
