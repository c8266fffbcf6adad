package check

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// The messages of a FIFO group are recorded in the order of their queue. The queue delivers
// no message behind one that is not deleted, except in one batch with it, so it suffices to
// check each batch.

// checkOrder is M-10 for what an invocation records: it is in the order of its batch.
func (w *checker) checkOrder(x *world.Write) {
	if x.In == nil {
		return
	}
	for i := range x.Commit.Turns {
		t := &x.Commit.Turns[i]
		for j := range t.Events {
			at := w.placeOf(x.In, t, &t.Events[j])
			took := w.of(x.In).took.Of(t.Instance)
			if at < 0 || slices.Contains(took, at) || (i > 0 || t.First() == 1) && w.carriesOver(t, &t.Events[j]) {
				continue // What is left of an execution is recorded again in the next.
			}
			if len(took) > 0 && took[len(took)-1] > at {
				w.Violate("M-10", "%s records %s after %s of the same instance, which is behind it in the queue", x.By.Name,
					x.In.Batch[at].ID, x.In.Batch[took[len(took)-1]].ID)
			}
			w.of(x.In).took.Set(t.Instance, append(took, at))
		}
	}
}

// carriesOver reports whether an earlier execution has recorded an event.
func (w *checker) carriesOver(t *store.Turn, e *history.Event) bool {
	for n := t.ExecutionID - 1; n > 0; n-- {
		if x := w.Ledger.Executions[ledger.At(t.Instance, n)]; x != nil && x.Senders[ledger.SentBy(e)] {
			return true
		}
	}
	return false
}

// placeOf returns the index in the batch of the message of an event; -1 if the invocation has none,
// or several with the same fact.
func (w *checker) placeOf(inv *world.Invocation, t *store.Turn, e *history.Event) int {
	if !e.Kind.Arrival() || e.Kind == history.OrchestrationStarted || e.Kind == history.ParentAttached {
		return -1
	}
	place := -1
	for i, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil || m.From != w.FIFO || item.Target() != t.Instance {
			continue
		}
		same := e.SourceEventID > 0 && item.SourceEventID == e.SourceEventID && w.isFor(item, t) && !w.ByForger(item) ||
			isSaid(e.Kind, item.Kind) && item.WithID(m.ID).ID == e.SenderID
		if e.Kind == history.ExternalEvent && slices.ContainsFunc(item.Events, func(b wire.StartEvent) bool { return b.ID == e.SenderID }) {
			if t.First() == 1 {
				return -1 // The start that starts the execution is processed first.
			}
			same = true
		}
		switch {
		case !same:
		case place >= 0:
			return -1
		default:
			place = i
		}
	}
	return place
}

// isSaid reports whether an event of one kind records the fact of an item of the other.
func isSaid(e history.Kind, item wire.Kind) bool {
	switch e {
	case history.ExternalEvent:
		return item == wire.ExternalRaised
	case history.OrchestrationSuspended:
		return item == wire.SuspendInstance
	case history.OrchestrationResumed:
		return item == wire.ResumeInstance
	}
	return false
}

// isFor reports whether an item is for the execution of a turn, or for an earlier one from
// which the completed event was copied.
func (w *checker) isFor(item *wire.Item, t *store.Turn) bool {
	of := item.TargetExecution()
	x := w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID)]
	return of == t.ExecutionID || x != nil && of > 0 && x.CarriedFrom(item.SourceEventID, of)
}

// checkBehind is M-10: behind a message that an invocation returns unrecorded, it records
// nothing of that group. While a process was paused, other processes may have handled its
// messages.
func (w *checker) checkBehind(inv *world.Invocation, failed map[string]bool) {
	if inv.Expired {
		return
	}
	for _, took := range w.of(inv).took {
		for i, m := range inv.Batch[:slices.Max(took.Value)] {
			if m.From != w.FIFO || !failed[m.ID] {
				continue
			}
			stored, err := w.Item(m.Body)
			if err != nil || stored.Target() != took.Instance || world.IsTooOld(stored) || w.WasDamaged(took.Instance) || slices.Contains(took.Value, i) {
				continue
			}
			item := stored.WithID(m.ID)
			switch item.Kind {
			case wire.ActivityFailed:
				if item.Details != nil && item.Details.Kind == history.FailureInterrupted {
					continue
				}
			case wire.ActivityCompleted, wire.TimerFired, wire.FireTimer, wire.SubOrchCompleted, wire.SubOrchFailed, wire.ExternalRaised, wire.SuspendInstance, wire.ResumeInstance:
			default:
				continue // It is not recorded, or may be answered in other ways.
			}
			if w.ByForger(stored) || w.Ledger.Born[took.Instance] >= inv.Started || w.accounted(&item, 1) || w.elsewhere(&item) {
				continue
			}
			w.Violate("M-10", "%s has recorded %s, and returns %s of the same instance, which is in front of it", inv.P.Name,
				inv.Batch[slices.Max(took.Value)].ID, m.ID)
		}
	}
}

// elsewhere reports whether a message with the same fact has left the FIFO queue: it was requeued,
// or is a dead letter.
func (w *checker) elsewhere(item *wire.Item) bool {
	for _, q := range []*world.Queue{w.Delay, w.DeadFIFO, w.DeadStandard} {
		if q.Queue.Any(func(body string) bool {
			other, err := w.Item(body)
			return err == nil && sameFact(item, other)
		}) {
			return true
		}
	}
	return false
}
