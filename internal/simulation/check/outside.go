package check

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// aboutToSend checks that a process sends no operation that it knows to be complete, or that the turn which
// scheduled it has cancelled.
func (w *checker) aboutToSend(p *world.Process, body string) {
	if p.Dead || p.Orchestrator == nil {
		return
	}
	switch {
	case strings.Contains(body, string(wire.ActivityExecute)):
	case strings.Contains(body, string(wire.CancelInstance)), strings.Contains(body, string(wire.TerminateInstance)):
		if item, err := w.Item(body); err == nil && item.Parent != nil {
			w.Ledger.Outside.Notified[item.Instance] = true
			w.Ledger.Outside.Closed[ledger.Child{Parent: item.Parent.Instance, Execution: item.Parent.ExecutionID, EventID: item.Parent.EventID}] = true
		}
		return
	default:
		return
	}
	item, err := w.Item(body)
	if err != nil || item.Kind != wire.ActivityExecute {
		return
	}
	key := ledger.At(item.Instance, item.ExecutionID)
	x := w.Ledger.Executions[key]
	id := item.SchedulingEventID
	if x == nil || id > int64(len(x.Events)) || x.Events[id-1].Kind != history.ActivityScheduled {
		w.Violate("M-11", "%s sends activity %d of %s/%d, which no history has", p.Name, id, item.Instance, item.ExecutionID)
		return
	}
	anew := slices.ContainsFunc(p.Running.Batch, func(m world.Delivered) bool { return m.From == w.ActivityDead })
	if done := x.Completed[id]; done != 0 && done <= p.Seen[key] && !anew {
		w.Violate("M-05", "%s sends activity %d of %s/%d, and has seen its completion %d", p.Name, id, item.Instance, item.ExecutionID, done)
	}
	if x.Never[id] {
		w.Violate("K-05", "%s sends activity %d of %s/%d, which was cancelled by the turn that scheduled it", p.Name, id, item.Instance, item.ExecutionID)
	}
}

// aboutToChange is W-09: only the message whose own record is found has killed a process.
func (w *checker) aboutToChange(p *world.Process, instance string, c *store.RecordChange) {
	if p.Dead || p.Running == nil || c == nil || c.Stamp == nil || c.Problem == nil || *c.Problem == nil || (*c.Problem).Kind != "killed" {
		return
	}
	if r, err := w.Describe(instance); err == nil && r.Problem != nil && r.Problem.Message == (*c.Problem).Message {
		return // It is resumed with the problem that it has.
	}
	for _, m := range p.Running.Batch {
		if strings.Contains((*c.Problem).Message, "message "+m.ID+" ") {
			return
		}
	}
	w.Violate("W-09", "%s identifies the wrong message as the poison message of %s: %s", p.Name, instance, (*c.Problem).Message)
}

// searchedBack is how many executions back a redriven dead letter resends open operations.
const searchedBack = 100

// checkStopped: cancelled operations were stopped outside, and so were those that an end left open; of
// children, only those that a forced termination left open (K-07), or that were cancelled.
func (w *checker) checkStopped(instance string, n int64, x *ledger.Recorded) {
	for i := range x.Events {
		e := &x.Events[i]
		id := e.EventID
		w.checkFiredSchedule(instance, n, x, e)
		// A child that was open in the previous execution is notified although this one has not sent its
		// start.
		runs := e.Kind == history.SubOrchestrationScheduled && x.CarriedFrom(id, n-1) && x.Of == (ledger.Execution{})
		if x.Never[id] && !runs || x.Completed[id] != 0 {
			continue
		}
		switch {
		case e.Kind == history.ActivityScheduled && !e.Inline:
			if x.End() != nil && !w.Ledger.Outside.Stopped[store.ActivityKey{Instance: instance, ExecutionID: n, EventID: id}] {
				w.Violate("K-03", "activity %d of %s/%d has no completion, and was never asked to stop", id, instance, n)
			}
		case e.Kind == history.SubOrchestrationScheduled:
			if (x.Stopped[id] || x.End() != nil && x.End().Forced != "") && !w.Ledger.Outside.Notified[e.Instance] {
				w.Violate("K-07", "child %s of %s/%d was left open, and was not notified", e.Instance, instance, n)
			}
		case e.Kind == history.TimerCreated:
			// An operation that a dead letter has left more executions behind than are searched stays: it
			// fires without effect.
			searched := n > w.Ledger.Last[instance]-searchedBack || w.Faults[fault.Exhausted] == 0
			if name := timer.Name(instance, n, id, e.AtMS); searched && w.Ledger.Outside.Scheduled[name] && !w.Ledger.Outside.Removed[name] {
				w.Violate("I-08", "the schedule of timer %d of %s/%d was made, never fired there, and was never removed", id, instance, n)
			}
		}
	}
}
