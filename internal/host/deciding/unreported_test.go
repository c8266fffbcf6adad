package deciding

import (
	"encoding/json"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/projection"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/store"
)

// Notifications that another process has added since the record was read stay there for the next
// turn.
func TestPendingNotificationsAreRemovedUnderTheNumberThatWasRead(t *testing.T) {
	t.Parallel()
	turn := begun(&Known{By: &Terms{Publishes: true}})
	turn.View.Instance, turn.View.Record = "a", &store.Record{Instance: "a", Stamp: 7, Unreported: `[{"type":"stuck"}]`}
	p, err := turn.unreported.publish()
	if err != nil {
		t.Fatal(err)
	}
	if p.Send.Unreported != turn.View.Record.Unreported || p.Record == nil || p.Record.Change.Unreported == nil || *p.Record.Change.Unreported != "" {
		t.Fatalf("the plan is %+v", p)
	}
	if when := p.Record.Change.If; !when.Exists || when.Stamp == nil || *when.Stamp != 7 {
		t.Errorf("it is taken out if %+v, and was read with stamp 7", when)
	}
	for name, silent := range map[string]func(*Turn){
		"nobody subscribes":  func(t *Turn) { t.By = &Terms{} },
		"there is no record": func(t *Turn) { t.View.Record = nil },
		"nothing is untold":  func(t *Turn) { t.View.Record = &store.Record{Instance: "a", Stamp: 7} },
	} {
		other := begun(&Known{By: turn.By, View: turn.View})
		silent(other)
		if p, err := other.unreported.publish(); err != nil || p.Send.Unreported != "" || p.Record != nil {
			t.Errorf("%s: the plan is %+v, %v", name, p, err)
		}
	}
}

// A history that is read while a mark is being committed may lack the events of that commit. The
// notification still gets a number after that of the mark.
func TestTheNotificationOfAProblemIsNumberedAfterIt(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(start("s"))
	mark, stamp := &store.Problem{Kind: string(engine.StuckPanic), ExecutionID: 1, LastEventID: 5}, int64(2)
	turn := p.turn(&Group{})
	turn.By = &Terms{Publishes: true}
	if err := p.feed(turn, 1); err != nil {
		t.Fatal(err)
	}
	turn.View.Instance, turn.View.Record = "a", &store.Record{Instance: "a", ExecutionID: 1, Stamp: 1, Problem: mark}
	on := &projection.Result{Change: &store.RecordChange{Stamp: &stamp}, Recovered: mark}
	turn.unreported.owe(on, &engine.Turn{})
	events, err := UnreportedEvents(*on.Change.Unreported)
	if err != nil || len(events) != 1 || events[0].Number != publishing.Number(1, 5, 2) {
		t.Errorf("it tells %+v, %v", events, err)
	}

	on.Change.Unreported, mark.ExecutionID, turn.Running.Execution = nil, 1, 2
	turn.unreported.owe(on, &engine.Turn{})
	if events, err := UnreportedEvents(*on.Change.Unreported); err != nil || len(events) != 1 || events[0].Number != publishing.Number(2, 2, 2) {
		t.Errorf("of a mark that an execution before has set, it tells %+v, %v", events, err)
	}

	// It was reported at the beginning of the turn, and the history lacks the events committed with
	// it.
	mark = &store.Problem{Kind: string(engine.StuckPanic), ExecutionID: 1, LastEventID: 2}
	recovered, err := json.Marshal([]host.InstanceEvent{{Type: "recovered", Execution: 1, Number: publishing.Number(1, 6, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	turn.View.Record, turn.Running.Execution = &store.Record{Instance: "a", ExecutionID: 1, Stamp: 1, Unreported: string(recovered)}, 1
	if _, err := turn.unreported.publish(); err != nil {
		t.Fatal(err)
	}
	turn.View.Record.Unreported = ""
	on = &projection.Result{Change: &store.RecordChange{Stamp: &stamp}, Mark: mark, Moved: true}
	turn.unreported.owe(on, &engine.Turn{})
	if events, err := UnreportedEvents(*on.Change.Unreported); err != nil || len(events) != 1 || events[0].Number != publishing.Number(1, 6, 2) {
		t.Errorf("behind a recovery that the history lacks, it tells %+v, %v", events, err)
	}
}

// Metrics and the log report a damaged history. There is no instance event, because the history has
// no end from which the event could be numbered.
func TestACorruptInstanceIsNotReportedAsStuck(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(start("s"))
	turn := p.turn(&Group{})
	turn.By = &Terms{Publishes: true}
	turn.View.Instance, turn.View.Described = "a", true
	turn.View.Record = &store.Record{Instance: "a", ExecutionID: 1, Status: store.StatusRunning, Stamp: 1}
	turn.progress.cause = &store.CorruptError{Instance: "a", ExecutionID: 1}
	plan, err := turn.reportDamage()
	if err != nil {
		t.Fatal(err)
	}
	if plan.Record == nil || plan.Record.Change.Problem == nil || (*plan.Record.Change.Problem).Kind != store.ProblemCorrupt {
		t.Fatalf("it is not marked: %+v", plan.Record)
	}
	if plan.Send.Unreported != "" || plan.Record.Change.Unreported != nil {
		t.Errorf("it tells %q now, and %v later", plan.Send.Unreported, plan.Record.Change.Unreported)
	}
}
