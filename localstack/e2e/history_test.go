//go:build unix

package e2e_test

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

// sample is what lambdas/orchestrator registers.
func sample() *turnstile.App {
	return turnstile.NewApp(append(orders.Orchestrations(), smokeapp.Orchestrations()...)...)
}

// checkedHistory reads the histories of an instance that has ended and holds
// each against the invariants: I-01 and I-02 by the structure that the engine
// checks, I-04 by a replay that has to add nothing, I-06 by the record. It
// returns the events of the last execution.
func checkedHistory(ctx context.Context, t *testing.T, c *client.Client, app *turnstile.App, instance string) []history.Event {
	t.Helper()
	d, err := c.Describe(ctx, instance)
	if err != nil {
		t.Fatal(err)
	}
	var events []history.Event
	for execution := d.FirstExecution; execution <= d.ExecutionID; execution++ {
		if events, err = c.History(ctx, instance, execution); err != nil {
			t.Fatal(err)
		}
		replay(t, app, instance, execution, events)
	}
	if len(events) == 0 {
		t.Fatalf("I-06: instance %s is %s, its execution %d has no history", instance, d.Status, d.ExecutionID)
	}
	wants := map[client.Status]history.Kind{client.StatusCompleted: history.OrchestrationCompleted}
	want, ok := wants[d.Status]
	if !ok {
		want = history.OrchestrationFailed
	}
	if last := events[len(events)-1]; last.Kind != want {
		t.Errorf("I-06: instance %s is %s, the last event of execution %d is %s", instance, d.Status, d.ExecutionID, last.Kind)
	}
	return events
}

func replay(t *testing.T, app *turnstile.App, instance string, execution int64, events []history.Event) {
	t.Helper()
	x := engine.New(engine.Config{Instance: instance, ExecutionID: execution, Registry: app.Orchestrations()})
	defer x.Close()
	if err := x.Feed(events, false); err != nil {
		t.Errorf("I-01, I-02: instance %s: %v", instance, err)
		return
	}
	if !x.Ended() {
		t.Errorf("I-01: instance %s, execution %d, has no end", instance, execution)
	}
	turn, err := x.Run(engine.Input{})
	if err != nil || turn.State == engine.Stuck || len(turn.Events) > 0 {
		t.Errorf("I-04: instance %s, execution %d, does not replay cleanly: state %v, error %v, stuck %v, %d new events",
			instance, execution, turn.State, err, turn.Stuck, len(turn.Events))
	}
}

// kinds are the kinds of events, in order.
func kinds(events []history.Event) []history.Kind {
	out := make([]history.Kind, len(events))
	for i, e := range events {
		out[i] = e.Kind
	}
	return out
}

// completed are the names of the activities that have a result, in the order
// in which they were scheduled.
func completed(events []history.Event) []string {
	done := map[int64]bool{}
	for _, e := range events {
		if e.Kind == history.ActivityCompleted {
			done[e.SourceEventID] = true
		}
	}
	var names []string
	for _, e := range events {
		if e.Kind == history.ActivityScheduled && done[e.EventID] {
			names = append(names, e.Name)
		}
	}
	return names
}
