package check

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checkRestarts is O-09 for an execution that a start starts although the instance exists and was not
// purged: the previous one has ended, its number is the next, and no start starts the instance twice.
// It is called before the ledger records the start.
func (w *checker) checkRestarts(p *world.Process, t *store.Turn) {
	n := t.ExecutionID
	last := w.Ledger.Before(t.Instance, n)
	for between := last + 1; between < n; between++ {
		if !w.Copied(t.Instance, between) && between > w.Ledger.Hidden[t.Instance]+1 {
			w.Violate("O-09", "%s/%d starts, and there is no execution %d", t.Instance, n, between)
			return
		}
	}
	if last <= w.Ledger.Hidden[t.Instance] {
		return
	}
	w.Reached("O-09")
	if w.Ledger.Executions[ledger.At(t.Instance, last)].End() == nil && w.Ledger.Unread[t.Instance] != last {
		w.Violate("O-09", "%s/%d restarts, and execution %d has not ended", t.Instance, n, last)
	}
	start := t.Events[0].Start
	if start != nil && !p.Dead && p.Running != nil {
		asked, may := "", false
		for _, m := range p.Running.Batch {
			if item, err := w.Item(m.Body); err == nil && item.Kind == wire.StartOrchestration && item.Target() == t.Instance && item.WithID(m.ID).ID == start.StartID {
				asked, may = m.ID, may || mayRestart(item) || item.OnConflict.Redrives()
			}
		}
		if asked != "" && !may {
			w.Violate("O-09", "%s/%d restarts because of %s, whose policy does not allow that", t.Instance, n, asked)
		}
	}
	later := map[string]bool{} // the record keeps no more of them
	for i := n - 1; i > w.Ledger.Hidden[t.Instance] && len(later) < store.MaxEarlierStarts; i-- {
		if x := w.Ledger.Executions[ledger.At(t.Instance, i)]; x != nil && x.Events[0].Start != nil {
			later[x.Events[0].Start.StartID] = true
		}
		if x := w.Ledger.Executions[ledger.At(t.Instance, i)]; x != nil && start != nil && x.Events[0].Start != nil && x.Events[0].Start.StartID == start.StartID {
			w.Violate("O-09", "%s/%d restarts with start %s, which already started execution %d", t.Instance, n, start.StartID, i)
		}
	}
}

// hasRestarted reports whether an instance has run more than once.
func (w *checker) hasRestarted(instance string) bool {
	var first *history.Start
	for n := w.Ledger.Hidden[instance] + 1; n <= w.Ledger.Last[instance]; n++ {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		if x == nil || x.Events[0].Start == nil {
			continue
		}
		if first != nil && first.StartID != x.Events[0].Start.StartID {
			return true
		}
		first = x.Events[0].Start
	}
	return false
}

// checkHasStarted is O-09: a start that restarts an ended instance is not acknowledged before it has
// done so. An end while the start is handled does not count, nor does an end that a process only seems
// to read while a commit is under way.
func (w *checker) checkHasStarted(inv *world.Invocation, item *wire.Item) {
	instance := item.Target()
	n := w.Ledger.Last[instance]
	x := w.Ledger.Executions[ledger.At(instance, n)]
	if item.Kind != wire.StartOrchestration || !mayRestart(item) || x == nil || !w.Ledger.Ended(instance) || w.Ledger.Hidden[instance] == n ||
		x.Events[0].Name != item.Name || w.Faults[fault.Torn] > 0 || w.WasDamaged(instance) || w.queued(item) {
		return
	}
	if at, known := w.endedAt[instance]; !known || at >= inv.Started {
		return
	}
	for i := w.Ledger.Hidden[instance] + 1; i <= n; i++ {
		x := w.Ledger.Executions[ledger.At(instance, i)]
		if x == nil || x.Events[0].Start == nil {
			continue
		}
		if x.Events[0].Start.StartID == item.ID || x.Senders["start:"+item.ID] || slices.ContainsFunc(item.Events, func(e wire.StartEvent) bool { return x.Senders[e.ID] }) {
			return // It has started a run, or its events were recorded in one.
		}
	}
	w.Violate("O-09", "%s acknowledged the start %s of %s, which is to restart and had ended with execution %d", inv.P.Name, item.ID, instance, n)
}

// mayRestart reports whether a start may restart an ended instance.
func mayRestart(start *wire.Item) bool {
	return start.OnConflict == wire.ConflictRestart || start.OnConflict == wire.ConflictUseOrRestart
}

// checkOneRun is O-09 for an event: one message is for one run of its instance, however often it is
// delivered. first is the execution with which the run started.
func (w *checker) checkOneRun(p *world.Process, t *store.Turn, first int64) {
	if p.Dead || p.Running == nil || t.First() == 1 && t.ExecutionID != first {
		return // Or they are carried over from the previous execution.
	}
	for i := range t.Events {
		e := &t.Events[i]
		if kindOf(e) == "" || e.Kind == history.ExternalEvent && e.SenderID == "" {
			continue
		}
		var by []string // if several have the same fact, it is not known which one delivered it
		for _, m := range p.Running.Batch {
			if item, err := w.Item(m.Body); err == nil && item.Target() == t.Instance && brings(item, m.ID, e) {
				by = append(by, m.ID)
			}
		}
		if len(by) == 1 && w.WasDuplicate(by[0]) && !slices.ContainsFunc(w.FIFO.Queue.Peek(), func(m queue.Message) bool { return m.ID == by[0] }) {
			// The other process has acknowledged it for a run that has ended since: if this one dies,
			// no message is left to send what it commits.
			note(&w.notices.forsaken, t.Instance, true)
			w.Ledger.Forsaken[t.Instance] = true
		}
		if len(by) != 1 || e.Kind != history.ExternalEvent {
			continue
		}
		was, ok := w.tookIn[by[0]]
		if ok && w.WasDuplicate(by[0]) && !w.stoodBefore(p.Running, t.Instance, by[0], first) {
			ok = false // Two processes may have it while the instance restarts.
		}
		if ok && was != first && was > w.Ledger.Hidden[t.Instance] {
			w.Violate("O-09", "%s/%d records %s of %s, which the run that started with execution %d has recorded", t.Instance, t.ExecutionID, e.SenderID, by[0], was)
		}
		note(&w.tookIn, by[0], first)
	}
}

// stoodBefore reports whether a message in the batch of an invocation precedes the start that started
// an execution: then the process can tell that it was for the previous run.
func (w *checker) stoodBefore(inv *world.Invocation, instance, message string, execution int64) bool {
	x := w.Ledger.Executions[ledger.At(instance, execution)]
	if x == nil || x.Events[0].Start == nil {
		return false
	}
	before := false
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		switch {
		case err != nil || m.From != w.FIFO || item.Target() != instance:
		case m.ID == message:
			before = true
		case item.Kind == wire.StartOrchestration && item.WithID(m.ID).ID == x.Events[0].Start.StartID:
			return before && m.ReceiveCount == 1
		}
	}
	return false
}

// kindOf returns the kind of message that delivers an incoming event; empty for all other events.
func kindOf(e *history.Event) wire.Kind {
	switch {
	case e.Kind == history.ExternalEvent:
		return wire.ExternalRaised
	case e.Kind == history.OrchestrationCancelRequested:
		return wire.CancelInstance
	case e.Kind == history.OrchestrationSuspended:
		return wire.SuspendInstance
	case e.Kind == history.OrchestrationResumed:
		return wire.ResumeInstance
	case e.Forced == history.ForcedByOperator:
		return wire.TerminateInstance
	default:
		return ""
	}
}

// brings reports whether a message delivers an incoming event: it is that event, cancel, suspend,
// resume or terminate, or a start that raises the event.
func brings(item *wire.Item, message string, e *history.Event) bool {
	switch {
	case e.Kind != history.ExternalEvent:
		return item.Kind == kindOf(e)
	case item.Kind == wire.StartOrchestration:
		return slices.ContainsFunc(item.Events, func(raised wire.StartEvent) bool { return raised.ID == e.SenderID })
	default:
		return item.Kind == wire.ExternalRaised && item.WithID(message).ID == e.SenderID
	}
}
