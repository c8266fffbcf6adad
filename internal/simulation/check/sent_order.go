package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Messages that clients send to the FIFO queue for an instance are recorded in the order in which they were sent,
// whichever processes receive them, and in however many batches (checkOrder checks one).
//
// Messages that leave their position are excluded: those that a process has sent or forwarded; those that were
// requeued, redriven, or delivered by a start; and those that are received after their deletion.

// saying is an event, a cancel, a terminate, a suspend or a resume that clients have sent to an instance, however
// often.
type saying struct {
	instance, id string
	kind         wire.Kind
}

// said is what is known of a saying.
type said struct {
	// places are the positions of its messages in the FIFO queue.
	places []place
	// moved is set if it has left its position.
	moved bool
	// in is the first execution of the current instance whose history has it.
	in int64
}

// place is the position of a message in the queue, and the step at which it was first received.
type place struct{ at, step int }

// sayingOf returns the saying of a client's message; false if it has none.
func sayingOf(item *wire.Item, messageID string) (saying, bool) {
	switch item.Kind {
	case wire.ExternalRaised, wire.CancelInstance, wire.TerminateInstance, wire.SuspendInstance, wire.ResumeInstance:
		return saying{item.Target(), item.WithID(messageID).ID, item.Kind}, true
	}
	return saying{}, false
}

// saidBy returns what is known of a saying.
func (w *checker) saidBy(s saying) *said {
	k := w.said[s]
	if k == nil {
		k = &said{}
		note(&w.said, s, k)
	}
	return k
}

// hearsSaid records the sayings of clients in the messages of a batch.
func (w *checker) hearsSaid(inv *world.Invocation) {
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil {
			continue
		}
		for _, e := range item.Events {
			w.saidBy(saying{item.Target(), e.ID, wire.ExternalRaised}).moved = true
		}
		if w.isBarred(inv, item) {
			w.Reached("A-18, its own message")
		}
		s, ok := sayingOf(item, m.ID)
		if !ok {
			continue
		}
		k := w.saidBy(s)
		at, err := strconv.Atoi(m.ID[strings.LastIndexByte(m.ID, '-')+1:])
		if err != nil || m.From != w.FIFO || m.Ghost || m.Copied && !w.stands(m.ID) || item.Hops > 0 || item.Parent != nil || m.Attributes[wire.RedriveAttribute] != "" {
			k.moved = true
			continue
		}
		if !slices.ContainsFunc(k.places, func(p place) bool { return p.at == at }) {
			k.places = append(k.places, place{at, w.Steps})
		}
	}
}

// stands reports whether a message is still in the FIFO queue.
func (w *checker) stands(id string) bool {
	return slices.ContainsFunc(w.FIFO.Queue.Peek(), func(m queue.Message) bool { return m.ID == id })
}

// Redrives records that a client's message has left its position, and for which instance it is.
func (w *checker) Redrives(body string) {
	w.movesSaid(body)
	if item, err := w.Item(body); err == nil {
		w.leftItsPlace(item)
		note(&w.notices.redriven, item.Target(), true)
	}
}

// movesSaid records that a process sends a client's message on, requeues it or moves it to a dead-letter queue,
// or that an operator redrives it.
func (w *checker) movesSaid(body string) {
	item, err := w.Item(body)
	if err != nil {
		return
	}
	if s, ok := sayingOf(item, ""); ok {
		w.saidBy(s).moved = true
	}
}

// placeInQueue returns the first position of a saying for the current instance; false if it has none that counts.
func (w *checker) placeInQueue(s saying, k *said) (at int, ok bool) {
	if k.moved || len(k.places) > 1 {
		return 0, false // Of several messages the first may have found no instance yet.
	}
	for _, p := range k.places {
		// A message that was received before the instance started is requeued, or was meant for an earlier
		// instance of that id.
		if p.step < w.Ledger.Born[s.instance] {
			continue
		}
		if !ok || p.at < at {
			at, ok = p.at, true
		}
	}
	return at, ok
}

// checkSentOrder is M-10 for a turn that has landed: messages are recorded in the order in which they were sent.
func (w *checker) checkSentOrder(t *store.Turn) {
	if len(t.Events) == 0 {
		delete(w.newest, t.Instance) // A redrive has copied everything that it starts with.
		return
	}
	if t.First() == 1 && t.ExecutionID == w.Ledger.First(t.Instance) {
		delete(w.newest, t.Instance)
	}
	for i := range t.Events {
		e := &t.Events[i]
		s := saying{instance: t.Instance, id: e.SenderID}
		switch {
		case e.Kind == history.ExternalEvent:
			s.kind = wire.ExternalRaised
		case e.Kind == history.OrchestrationCancelRequested:
			s.kind = wire.CancelInstance
		case e.Kind == history.OrchestrationSuspended:
			s.kind = wire.SuspendInstance
		case e.Kind == history.OrchestrationResumed:
			s.kind = wire.ResumeInstance
		case e.Forced == history.ForcedByOperator:
			s.kind, s.id = wire.TerminateInstance, strings.TrimPrefix(e.Actor, world.ActorOf(""))
		default:
			continue
		}
		k := w.said[s]
		if k == nil || k.in > w.Ledger.Hidden[t.Instance] {
			continue // What is left of an execution is recorded again in the next.
		}
		k.in = t.ExecutionID
		at, ok := w.placeInQueue(s, k)
		if !ok {
			continue
		}
		if s.kind == wire.TerminateInstance {
			w.checkAheadOfEnd(t, at)
		}
		last, some := w.newest[t.Instance]
		if some {
			w.Reached("M-10, as sent")
		}
		// A message that becomes a dead letter leaves its position before any process has received it.
		if some && at < last && !w.isDeadLetter(s) && w.Faults[fault.Exhausted] == 0 {
			w.Violate("M-10", "%s %q, message %d, is recorded at %d of %s/%d, and message %d, which was sent after it, is recorded before it",
				s.kind, s.id, at, e.EventID, t.Instance, t.ExecutionID, last)
		}
		note(&w.newest, t.Instance, max(at, last))
	}
}

// checkAheadOfEnd: an event that was sent before the terminate of its instance is recorded.
func (w *checker) checkAheadOfEnd(t *store.Turn, end int) {
	if w.redriven(t.Instance) {
		return // It may have arrived between its runs.
	}
	var first saying
	before := end
	for s, k := range w.said {
		if s.instance != t.Instance || s.kind != wire.ExternalRaised || k.in > w.Ledger.Hidden[t.Instance] {
			continue
		}
		if at, ok := w.placeInQueue(s, k); ok && at < before && !w.isDeadLetter(s) {
			first, before = s, at
		}
	}
	if before < end {
		w.Violate("M-10", "event %q, message %d, was sent before message %d, which has ended %s/%d, and is not recorded", first.id, before, end, t.Instance, t.ExecutionID)
	}
}

// isDeadLetter reports whether a message with this saying became a dead letter.
func (w *checker) isDeadLetter(s saying) bool {
	return slices.ContainsFunc([]*world.Queue{w.DeadFIFO, w.DeadStandard}, func(q *world.Queue) bool {
		return q.Queue.Any(func(body string) bool {
			item, err := w.Item(body)
			if err != nil {
				return false
			}
			other, ok := sayingOf(item, "")
			return ok && other == s
		})
	})
}
