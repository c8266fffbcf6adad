package world

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Redrive resends the dead letters that exceeded their receive count, and events whose start came too late. It
// returns the number. While the queues are down, it does nothing, and the dead letters stay until later.
func (w *World) Redrive() int {
	if wait := w.untilQueuesAreBack(); wait > 0 {
		w.Clock.AfterFunc(wait, func() { w.Redrive() })
		return 0
	}
	n := 0
	for _, q := range []*Queue{w.DeadFIFO, w.DeadStandard} {
		for _, m := range q.Queue.Peek() {
			if len(w.Violations) > 0 {
				break
			}
			if !w.redriveOne(q, m) {
				note(&w.kept, m.ID, true)
				continue
			}
			n++
			q.Queue.Remove(m.ID)
		}
	}
	return n
}

// WasKept reports whether an operator has read a dead letter and left it where it is.
func (w *World) WasKept(id string) bool { return w.kept[id] }

// redriveOne reports whether a dead letter is settled: it was resent, or nothing can be done with it.
func (w *World) redriveOne(q *Queue, m queue.Message) bool {
	item, err := w.Item(m.Body)
	if err != nil {
		return true
	}
	switch reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) {
	case wire.ReasonForged, wire.ReasonSender, wire.ReasonMisaddressed:
		// An operator who fires a timer at the same time as the commit that starts it sees the dead letter and
		// fires the timer again.
		if w.ByForger(item) || item.Kind == wire.FireTimer && w.Faults[fault.Torn] > 0 {
			note(&w.Discarded, m.Body, true)
			return true
		}
	case wire.ReasonTooLarge:
		if item.OnConflict.Redrives() || Forks(item) {
			w.Reached("O-10, refused")
			return true // No commit can hold what the redrive would copy.
		}
		if w.has(rejections) || w.IsOver(item) {
			note(&w.Discarded, m.Body, true) // No queue or no process accepts the message, so it cannot be resent.
			return true
		}
	case wire.ReasonExpired:
		if IsTooOld(item) || w.Clock.Now().Sub(epoch) > wire.MaxAge || w.Ledger.Hidden[item.Target()] > 0 { // The message waited for an instance that was purged.
			w.Reached("expired")
			return true
		}
	case wire.ReasonCorrupt:
		if w.damaged(item.Target()) != nil {
			return false
		}
		if w.WasDamaged(item.Target()) {
			w.Reached("R-08, restored")
			return w.sendsAgain(item, m)
		}
	case wire.ReasonUnknownInstance:
		if w.Ledger.Last[item.Target()] == 0 {
			return false // The instance was never started.
		}
		if at, ok := w.Ledger.Purged[item.Target()]; ok && w.Ledger.Last[item.Target()] == w.Ledger.Hidden[item.Target()] && w.Clock.Now().Sub(at) > wire.MaxAge {
			return false // The instance was purged and has not been started since.
		}
		return w.sendsAgain(item, m)
	case wire.ReasonRedriveRefused:
		w.Reached("O-10, refused")
		if Forks(item) {
			w.Reached("O-12, refused")
			note(&w.Discarded, m.Body, true) // The instance does not exist.
		}
		return true // The instance is unchanged.
	case "":
		if w.Ledger.Recorded(item) {
			w.Reached("W-07")
		}
		return w.sendsAgain(item, m)
	}
	w.Violate("I-07", "dead letter with reason %q: %s", m.Attributes[wire.ReasonAttribute], BodyText(m.Body))
	return false
}

// sendsAgain resends a dead letter to the queue from which it came.
func (w *World) sendsAgain(item *wire.Item, m queue.Message) bool {
	w.Watch.Redrives(m.Body)
	if item.Kind == wire.ActivityExecute {
		w.SendAs("a redrive", w.Activity, queue.Outgoing{Body: m.Body, Attributes: redriveMarks(m)})
		return true
	}
	w.SendAs("a redrive", w.FIFO, queue.Outgoing{Body: m.Body, Group: wire.Group(item.Target()), DedupID: wire.HopDedupID("", m.ID),
		Attributes: redriveMarks(m)})
	return true
}

// redriveMarks are the attributes that the redrive command adds to a message: that it was redriven, and its
// original sender.
func redriveMarks(m queue.Message) map[string]string {
	marks := map[string]string{wire.RedriveAttribute: "1"}
	if senders := wire.SentBy(m.Attributes, m.Sender); senders != "" {
		marks[wire.SenderAttribute] = senders
	}
	return marks
}
