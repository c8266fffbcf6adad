package simulation

import (
	"bytes"
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// end checks what must hold when the faults have stopped and nothing is
// left to come.
func (w *checker) end() {
	for _, q := range w.sources {
		if c := q.Queue.Counts(); c.Total() != 0 {
			w.violate("I-07", "queue %s still holds %+v", q.name, c)
		}
	}
	w.reached("I-08")
	for _, s := range w.timer.Pending() {
		w.violate("I-08", "a schedule is left: %s", bodyText(s.Body))
	}
	w.spreadForsaken()
	for _, instance := range w.ledger.instances() {
		if w.ledger.forsaken[instance] {
			continue
		}
		// Purged, it has no history.
		hidden := w.ledger.hidden[instance]
		if hidden == w.ledger.last[instance] {
			w.reached("O-04")
			if w.present(instance) {
				w.violate("O-04", "%s was purged and can be described", instance)
			}
			continue
		}
		w.reached("I-03")
		for n := hidden + 1; n <= w.ledger.last[instance]; n++ {
			w.checkExecution(instance, n)
		}
		w.checkRecord(instance)
		r, err := w.describe(instance)
		if err != nil {
			continue
		}
		if !r.Status.Terminal() {
			why := ""
			if r.Problem != nil {
				why = fmt.Sprintf(" (%s: %s)", r.Problem.Kind, r.Problem.Message)
			}
			w.violate("I-03", "%s is %s%s, and nothing is left that could take it on", instance, r.Status, why)
		}
		if r.Suspect != "" {
			w.violate("W-09", "%s still has the mark of suspect %s", instance, r.Suspect)
		}
	}
	w.scenario.check(w.World)
}

// checkExecution is I-05 for what is stored, and I-04, and that parents and
// children agree.
func (w *checker) checkExecution(instance string, n int64) {
	x := w.ledger.executions[executionKey{instance, n}]
	if x == nil {
		w.violate("I-01", "%s has no execution %d", instance, n)
		return
	}
	turns, err := w.store.Read(context.Background(), instance, n, 1)
	if err != nil {
		w.violate("I-05", "%s/%d can't be read: %v", instance, n, err)
		return
	}
	w.checkRead(turns)
	turns = w.opened(turns)
	events := make([]history.Event, 0, len(x.events))
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	if len(events) != len(x.events) {
		w.violate("I-05", "%s/%d has %d events, %d were written", instance, n, len(events), len(x.events))
		return
	}
	w.checkFamily(instance, n, events)
	w.checkStopped(instance, n, x)
	w.checkOneByOne(instance, n, turns, events)
	execution := engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: w.good.orchestrations})
	defer execution.Close()
	if err := execution.Feed(events, false); err != nil {
		w.violate("I-04", "%v", err)
		return
	}
	w.reached("I-04")
	out, err := execution.Run(engine.Input{NowMS: w.clock.Now().UnixMilli()})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil {
		w.violate("I-04", "%s/%d does not replay cleanly: %v, %v, %d new events", instance, n, err, out.Stuck, len(out.Events))
		return
	}
	w.checkSearch(instance, n, events, out.Search)
}

// checkFamily checks that a child's completion says what the child's record
// does, and that what was started detached is there.
func (w *checker) checkFamily(instance string, n int64, events []history.Event) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case history.OrchestrationChained:
			if w.ledger.last[e.Instance] == 0 && !w.ledger.forsaken[e.Instance] {
				w.violate("P-07", "%s, started detached by %s/%d, does not exist", e.Instance, instance, n)
			}
		case history.ParentAttached:
			w.checkAttached(instance, e)
		case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
			child := events[e.SourceEventID-1].Instance
			if w.ledger.hidden[child] > 0 {
				w.reached("O-04")
				continue // Its record is gone; what there may be now is another of that id.
			}
			r, err := w.describe(child)
			if err != nil {
				w.violate("P-01", "child %s of %s/%d is complete and has no record", child, instance, n)
				continue
			}
			completed := e.Kind == history.SubOrchestrationCompleted
			if completed != (r.Status == store.StatusCompleted) || completed && !bytes.Equal(e.Payload, r.Output) ||
				!completed && (r.Failure == nil || r.Failure.Kind != e.Failure.Kind) {
				w.violate("P-01", "child %s ended as %s with %s; its parent %s/%d has heard %s with %s", child, r.Status, r.Output, instance, n, e.Kind, e.Payload)
			}
		}
	}
}
