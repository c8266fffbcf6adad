package check

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// End checks the invariants of the final state, after the faults have stopped and when
// no action is left.
func (w *checker) End() {
	for _, q := range w.Sources {
		if c := q.Queue.Counts(); c.Total() != 0 {
			w.Violate("I-07", "queue %s still holds %+v", q.Name, c)
		}
	}
	w.Reached("I-08")
	for _, s := range w.Timer.Pending() {
		w.Violate("I-08", "a schedule is left: %s", world.BodyText(s.Body))
	}
	w.checkNotified()
	w.checkNoneForks()
	w.spreadForsaken()
	for _, instance := range w.Ledger.Instances() {
		if w.Ledger.Forsaken[instance] {
			continue
		}
		// A purged instance has no history.
		hidden := w.Ledger.Hidden[instance]
		if hidden == w.Ledger.Last[instance] {
			w.Reached("O-04")
			if w.present(instance) {
				w.Violate("O-04", "%s was purged, but can be described", instance)
			}
			w.checkDeleted(instance, hidden)
			w.checkAnswersDeleted(instance)
			continue
		}
		w.Reached("I-03")
		for n := w.firstLeft(instance); n <= w.Ledger.Last[instance]; n++ {
			if !w.Copied(instance, n) {
				w.checkExecution(instance, n)
			}
		}
		w.checkRecord(instance)
		r, err := w.Describe(instance)
		if err != nil {
			continue
		}
		w.checkPruned(&r)
		w.checkAnswersPut(&r)
		w.checkStartStays(&r)
		w.checkKnown(&r)
		waits := !r.Status.Terminal() && w.missed(instance)
		if !r.Status.Terminal() && !waits {
			why := ""
			if r.Problem != nil {
				why = fmt.Sprintf(" (%s: %s)", r.Problem.Kind, r.Problem.Message)
			}
			w.Violate("I-03", "%s is %s%s, and nothing is left that could continue it", instance, r.Status, why)
		}
		if r.Suspect != "" && !waits && !w.skipsArchiving(&r) { // The next message removes it.
			w.Violate("W-09", "%s still has the mark of suspect %s", instance, r.Suspect)
		}
	}
	w.Scenario.Check(w.World)
}

// skipsArchiving reports whether sweeps skip an instance, because archiving it has ended the process
// twice within the last day. The sweep after that day removes the mark.
func (w *checker) skipsArchiving(r *store.Record) bool {
	var ms int64
	n, err := fmt.Sscanf(r.Suspect, fmt.Sprintf("archive-%d-%%d#2", r.ExecutionID), &ms)
	return n == 1 && err == nil && time.UnixMilli(ms).Add(24*time.Hour).After(w.Clock.Now())
}

// checkExecution checks I-04, I-05 for the stored history, and that parents and
// children agree.
func (w *checker) checkExecution(instance string, n int64) {
	x := w.Ledger.Executions[ledger.At(instance, n)]
	if x == nil {
		w.Violate("I-01", "%s has no execution %d", instance, n)
		return
	}
	turns, err := w.Store.Read(context.Background(), instance, n, 1)
	if err != nil {
		w.Violate("I-05", "%s/%d cannot be read: %v", instance, n, err)
		return
	}
	w.checkRead(turns)
	turns = w.Opened(turns)
	events := make([]history.Event, 0, len(x.Events))
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	if len(events) != len(x.Events) {
		w.Violate("I-05", "%s/%d has %d events, %d were written", instance, n, len(events), len(x.Events))
		return
	}
	w.checkFamily(instance, n, events)
	w.checkStopped(instance, n, x)
	w.checkOneByOne(instance, n, turns, events)
	execution := engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: w.Good.Orchestrations})
	defer execution.Close()
	if err := execution.Feed(events, false); err != nil {
		w.Violate("I-04", "%v", err)
		return
	}
	w.Reached("I-04")
	out, err := execution.Run(engine.Input{NowMS: w.Clock.Now().UnixMilli()})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil {
		w.Violate("I-04", "%s/%d does not replay cleanly: %v, %v, %d new events", instance, n, err, out.Stuck, len(out.Events))
		return
	}
	w.checkSearch(instance, n, events, out.Search)
	w.checkStatus(instance, n, events, out.States)
}

// checkFamily checks that a child's completion agrees with the child's record, and that
// detached instances exist.
func (w *checker) checkFamily(instance string, n int64, events []history.Event) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case history.OrchestrationChained:
			if limits, near := w.NearLimits(); near && len(e.Payload) > limits.Payload {
				w.Reached("L-02, detached")
				continue // It is a dead letter with its reason.
			}
			if w.Ledger.Last[e.Instance] == 0 && !w.Ledger.Forsaken[e.Instance] {
				w.Violate("P-07", "%s, started detached by %s/%d, does not exist", e.Instance, instance, n)
			}
		case history.ParentAttached:
			w.checkAttached(instance, e)
		case history.SubOrchestrationCompleted, history.SubOrchestrationFailed:
			child := events[e.SourceEventID-1].Instance
			if w.Ledger.Hidden[child] > 0 {
				w.Reached("O-04")
				continue // Its record is gone; a record with that id may now belong to another instance.
			}
			if e.Failure != nil && e.Failure.Kind == history.FailureStuck && w.redriven(instance) {
				continue // The child should continue where it failed, and cannot.
			}
			if w.redriven(child) || w.hasRestarted(child) {
				continue // It may have continued or restarted since, without this parent.
			}
			r, err := w.Describe(child)
			if err != nil && w.checkTooLarge(instance, n, &events[e.SourceEventID-1], e, nil) || err == nil && w.checkTooLarge(instance, n, &events[e.SourceEventID-1], e, &r) {
				continue
			}
			if err != nil {
				w.Violate("P-01", "child %s of %s/%d is complete and has no record", child, instance, n)
				continue
			}
			completed := e.Kind == history.SubOrchestrationCompleted
			if completed != (r.Status == store.StatusCompleted) || completed && !bytes.Equal(e.Payload, r.Output) ||
				!completed && (r.Failure == nil || r.Failure.Kind != e.Failure.Kind) {
				w.Violate("P-01", "child %s ended as %s with %s; its parent %s/%d received %s with %s", child, r.Status, r.Output, instance, n, e.Kind, e.Payload)
			}
		}
	}
}
