package simulation

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// aboutToSend checks that nobody sends what it knows to be complete, or what
// was cancelled by the turn that asked for it.
func (w *checker) aboutToSend(p *process, body string) {
	if p.dead || p.orchestrator == nil {
		return
	}
	switch {
	case strings.Contains(body, string(wire.ActivityExecute)):
	case strings.Contains(body, string(wire.CancelInstance)), strings.Contains(body, string(wire.TerminateInstance)):
		if item, err := w.item(body); err == nil && item.Parent != nil {
			w.ledger.outside.told[item.Instance] = true
			w.ledger.outside.closed[family{item.Parent.Instance, item.Parent.ExecutionID, item.Parent.EventID}] = true
		}
		return
	default:
		return
	}
	item, err := w.item(body)
	if err != nil || item.Kind != wire.ActivityExecute {
		return
	}
	key := executionKey{item.Instance, item.ExecutionID}
	x := w.ledger.executions[key]
	id := item.SchedulingEventID
	if x == nil || id > int64(len(x.events)) || x.events[id-1].Kind != history.ActivityScheduled {
		w.violate("M-11", "%s sends activity %d of %s/%d, which no history has", p.name, id, item.Instance, item.ExecutionID)
		return
	}
	anew := slices.ContainsFunc(p.running.batch, func(m delivered) bool { return m.from == w.activityDead })
	if done := x.completed[id]; done != 0 && done <= p.seen[key] && !anew {
		w.violate("M-05", "%s sends activity %d of %s/%d, and has seen its completion %d", p.name, id, item.Instance, item.ExecutionID, done)
	}
	if x.never[id] {
		w.violate("K-05", "%s sends activity %d of %s/%d, which was cancelled by the turn that scheduled it", p.name, id, item.Instance, item.ExecutionID)
	}
}

// aboutToChange is W-09: only the message that finds its own mark has killed a
// process.
func (w *checker) aboutToChange(p *process, instance string, c *store.RecordChange) {
	if p.dead || p.running == nil || c == nil || c.Stamp == nil || c.Problem == nil || *c.Problem == nil || (*c.Problem).Kind != "killed" {
		return
	}
	for _, m := range p.running.batch {
		if strings.Contains((*c.Problem).Message, "message "+m.ID+" ") {
			return
		}
	}
	w.violate("W-09", "%s takes a neighbour for the killer of %s: %s", p.name, instance, (*c.Problem).Message)
}

// checkStopped: what was cancelled was stopped outside, and so was what an end
// left open; of children, those that an imposed end left open (K-07), or that
// were cancelled.
func (w *checker) checkStopped(instance string, n int64, x *recorded) {
	for i := range x.events {
		e := &x.events[i]
		id := e.EventID
		if x.never[id] || x.completed[id] != 0 {
			continue
		}
		switch {
		case e.Kind == history.ActivityScheduled && !e.Inline:
			if x.end() != nil && !w.ledger.outside.stopped[store.ActivityKey{Instance: instance, ExecutionID: n, EventID: id}] {
				w.violate("K-03", "activity %d of %s/%d has no completion, and was never asked to stop", id, instance, n)
			}
		case e.Kind == history.SubOrchestrationScheduled:
			if (x.stopped[id] || x.end() != nil && x.end().Imposed != "") && !w.ledger.outside.told[e.Instance] {
				w.violate("K-07", "child %s of %s/%d was left open, and was told nothing", e.Instance, instance, n)
			}
		case e.Kind == history.TimerCreated:
			if name := timer.Name(instance, n, id); w.ledger.outside.scheduled[name] && !w.ledger.outside.removed[name] {
				w.violate("I-08", "the schedule of timer %d of %s/%d was made, never fired there, and was never removed", id, instance, n)
			}
		}
	}
}
