package world

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Redrive sends dead letters again that got there by their receive count, or
// as events whose start came too late. It returns how many. While the queues are down, the
// dead letters stay where they are until later.
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

// WasKept reports whether somebody has looked at a dead letter and has left it where it is.
func (w *World) WasKept(id string) bool { return w.kept[id] }

// redriveOne reports whether a dead letter is dealt with: sent again, or nothing
// can be made of it.
func (w *World) redriveOne(q *Queue, m queue.Message) bool {
	item, err := w.Item(m.Body)
	if err != nil {
		return true
	}
	switch reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) {
	case wire.ReasonForged, wire.ReasonSender, wire.ReasonMisaddressed:
		// An operator who fires a timer beside the commit that starts it sees the dead letter, and fires it again.
		if w.ByForger(item) || item.Kind == wire.FireTimer && w.Faults[fault.Torn] > 0 {
			note(&w.Discarded, m.Body, true)
			return true
		}
	case wire.ReasonTooLarge:
		if item.OnConflict.Redrives() || Forks(item) {
			w.Reached("O-10, refused")
			return true // No commit holds what it would take over.
		}
		if w.has(rejections) || w.IsOver(item) {
			note(&w.Discarded, m.Body, true) // No queue takes it, or no process, so it cannot be sent again.
			return true
		}
	case wire.ReasonExpired:
		if IsTooOld(item) || w.Clock.Now().Sub(epoch) > wire.MaxAge || w.Ledger.Hidden[item.Target()] > 0 { // It waited for an instance that was purged.
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
			return false // Nobody ever started it.
		}
		if at, ok := w.Ledger.Purged[item.Target()]; ok && w.Ledger.Last[item.Target()] == w.Ledger.Hidden[item.Target()] && w.Clock.Now().Sub(at) > wire.MaxAge {
			return false // It was purged, and nobody started it since.
		}
		return w.sendsAgain(item, m)
	case wire.ReasonRedriveRefused:
		w.Reached("O-10, refused")
		if Forks(item) {
			w.Reached("O-12, refused")
			note(&w.Discarded, m.Body, true) // The instance does not exist.
		}
		return true // The instance is as it was.
	case "":
		if w.Ledger.Recorded(item) {
			w.Reached("W-07")
		}
		return w.sendsAgain(item, m)
	}
	w.Violate("I-07", "dead letter with reason %q: %s", m.Attributes[wire.ReasonAttribute], BodyText(m.Body))
	return false
}

// sendsAgain sends a dead letter to where it came from.
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

// redriveMarks are what the command that redrives gives a message: that it was,
// and who sent it first.
func redriveMarks(m queue.Message) map[string]string {
	marks := map[string]string{wire.RedriveAttribute: "1"}
	if senders := wire.SentBy(m.Attributes, m.Sender); senders != "" {
		marks[wire.SenderAttribute] = senders
	}
	return marks
}
