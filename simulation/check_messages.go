package simulation

import (
	"context"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// message is what the body of one says: as it was sent, and with plain payloads
// once somebody has asked for it.
type message struct {
	sealed wire.Item
	item   *wire.Item
}

// message parses a message, each once.
func (w *World) message(body string) (*message, error) {
	if w.lastMessage != nil && body == w.lastBody {
		return w.lastMessage, nil // It is asked for several times in a row.
	}
	m := w.messages[body]
	if m == nil {
		m = &message{}
		var err error
		if m.sealed, err = wire.Parse(wire.Unwrap([]byte(body))); err != nil {
			return nil, err
		}
		w.messages[body] = m
	}
	w.lastBody, w.lastMessage = body, m
	return m, nil
}

// item is what a message says.
func (w *World) item(body string) (*wire.Item, error) {
	m, err := w.message(body)
	switch {
	case err != nil:
		return nil, err
	case m.item != nil:
	case m.sealed.Codec == "":
		m.item = &m.sealed
	default:
		opened, err := w.sealing.world.OpenItem(m.sealed)
		if err != nil {
			return nil, err
		}
		m.item = &opened
	}
	return m.item, nil
}

// acknowledged is I-07: what is deleted from a queue is accounted for.
func (w *World) acknowledged(inv *invocation, m delivered) {
	p, began := inv.p, inv.began
	w.reached("I-07")
	stored, err := w.item(m.Body)
	if err != nil && w.reach.noise[m.Body] {
		return // It is a dead letter with its reason.
	}
	if err != nil {
		w.violate("I-07", "%s acknowledged %s, which can't be parsed: %v", p.name, m.ID, err)
		return
	}
	if isTooOld(stored) || stored.SourceEventID > 0 && w.byForger(stored) {
		return // What is made up is owed nothing; that it is not recorded is looked at elsewhere.
	}
	item := w.asAttempt(stored.WithID(m.ID))
	if item.Kind == wire.StartOrchestration {
		if x := w.shadow.executions[executionKey{item.Instance, w.shadow.last[item.Instance]}]; x != nil && (m.ReceiveCount == 1 || x.events[0].Start.StartID != item.ID) {
			w.reached("M-06")
		}
	}
	if m.from == w.delay || m.from == w.activityDead {
		w.checkPassedOn(inv, m, &item)
		return
	}
	born, ok := w.shadow.born[item.Target()]
	if ok && born >= began && (item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance || item.Token == forgedToken) {
		return // It met no instance.
	}
	if ok && born >= began && w.shadow.hidden[item.Target()] > 0 {
		return // It met the instance before, which has ended.
	}
	first := int64(1)
	if ok && born < began && w.reach.first[m.ID] >= born {
		// It met this instance; what one before of its id knew is no excuse.
		first = w.shadow.hidden[item.Target()] + 1
	}
	if !w.accounted(&item, first) && !w.queued(&item) {
		w.violate("I-07", "%s acknowledged %s: %s, which is neither recorded, nor harmless, nor queued", p.name, m.ID, bodyText(m.Body))
	}
}

// checkPassedOn is I-07 for a message of a standard queue: nothing is decided about
// it there. The invocation that acknowledges it has sent it on: to the FIFO queue,
// round, to the activity queue if it is an attempt, or to the dead letters.
func (w *World) checkPassedOn(inv *invocation, m delivered, item *wire.Item) {
	for _, body := range inv.sent {
		if other, err := w.item(body); err == nil {
			if id := other.WithID(m.ID); sameFact(item, &id) {
				return
			}
		}
	}
	w.violate("I-07", "%s acknowledged %s of %s, and has not sent it on: %s", inv.p.name, m.ID, m.from.name, bodyText(m.Body))
}

// asAttempt makes of the notice that nothing is heard of an attempt the attempt
// that follows it.
func (w *World) asAttempt(i wire.Item) wire.Item {
	if i.Kind != wire.ActivityFailed || i.Details == nil || i.Details.Kind != history.FailureInterrupted {
		return i
	}
	next := wire.Item{Kind: wire.ActivityExecute, Instance: i.Instance, ExecutionID: i.ExecutionID, SchedulingEventID: i.SourceEventID, Attempt: i.Details.Attempt + 1}
	if x := w.shadow.executions[executionKey{i.Instance, i.ExecutionID}]; x != nil && i.SourceEventID <= int64(len(x.events)) {
		next.Retry = x.events[i.SourceEventID-1].Retry
	}
	return next
}

// accounted reports whether what an item says is in history, from an execution
// on, or needs not be.
func (w *World) accounted(item *wire.Item, first int64) bool {
	target := item.Target()
	last := w.shadow.last[target]
	current := w.shadow.executions[executionKey{target, last}]
	if current == nil {
		// Nothing of the instance is stored. A completion can't be meant for
		// one that never was; a cancel or a wake may.
		if item.Kind == wire.StartOrchestration {
			return w.forbidden(item)
		}
		return item.Kind == wire.CancelInstance || item.Kind == wire.TerminateInstance || item.Kind == wire.Wake || item.Kind == wire.PurgeInstance || item.Kind == wire.Sweep
	}
	switch item.Kind {
	case wire.StartOrchestration, wire.Wake, wire.PurgeInstance, wire.ActivityHeartbeat:
		return true
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.SubOrchCompleted, wire.SubOrchFailed, wire.ActivityExecute, wire.ActivityPending:
		source := item.SourceEventID
		if item.Kind == wire.ActivityExecute {
			source = item.SchedulingEventID
		}
		x := w.shadow.executions[executionKey{target, item.TargetExecution()}]
		handed := item.Kind == wire.ActivityExecute && w.outside.handed[store.ActivityKey{Instance: target, ExecutionID: item.ExecutionID, EventID: source}]
		if handed && !limited(item.Retry) {
			return true // A client has its token, and nothing else is owed.
		}
		// Of what was cancelled no time limit is owed either.
		return x != nil && (x.completed[source] != 0 || x.end() != nil || (handed || item.Kind == wire.ActivityPending) && x.stopped[source])
	case wire.ExternalRaised:
		for n := first; n <= last; n++ {
			if x := w.shadow.executions[executionKey{target, n}]; x != nil && x.senders[item.ID] {
				return true
			}
		}
		return w.shadow.ended(target)
	case wire.CancelInstance, wire.TerminateInstance:
		if p := item.Parent; p != nil {
			own := current.events[0].Start.Parent
			if own == nil || own.Instance != p.Instance || own.ExecutionID != p.ExecutionID || own.EventID != p.EventID {
				return true
			}
		}
		if w.shadow.ended(target) {
			return true
		}
		for n := first; n <= last && item.Kind == wire.CancelInstance; n++ {
			if x := w.shadow.executions[executionKey{target, n}]; x != nil && x.cancelled {
				return true
			}
		}
	}
	return false
}

// queued reports whether another message says the same, or carries it on.
func (w *World) queued(item *wire.Item) bool {
	for _, q := range []*simQueue{w.fifo, w.delay, w.activity, w.activityDead, w.deadFIFO, w.deadStandard} {
		if q.Queue.Any(func(body string) bool {
			other, err := w.item(body)
			return err == nil && sameFact(item, other)
		}) {
			return true
		}
	}
	return false
}

func sameFact(a, b *wire.Item) bool {
	if a.Target() != b.Target() || a.TargetExecution() != b.TargetExecution() {
		return false
	}
	if a.Kind == wire.ActivityExecute || a.Kind == wire.ActivityPending {
		source := max(a.SchedulingEventID, a.SourceEventID)
		switch b.Kind {
		case wire.ActivityExecute:
			return b.SchedulingEventID == source && b.Attempt >= a.Attempt
		case wire.ActivityPending:
			return b.SourceEventID == source && b.Attempt >= a.Attempt
		case wire.ActivityCompleted, wire.ActivityFailed:
			return b.SourceEventID == source
		}
		return false
	}
	return a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.ID == b.ID && a.Name == b.Name
}

// limited reports whether a pending activity has a time limit, over which
// somebody has to watch.
func limited(r *history.Retry) bool {
	return r != nil && (r.TotalTimeoutMS > 0 || r.HeartbeatTimeoutMS > 0)
}

// redrive sends dead letters again that got there by their receive count, or
// as events whose start came too late. It returns how many.
func (w *World) redrive() int {
	n := 0
	for _, q := range []*simQueue{w.deadFIFO, w.deadStandard} {
		var kept []queue.Message
		for {
			messages := all(q)
			if len(messages) == 0 || len(w.violations) > 0 {
				break
			}
			for _, m := range messages {
				if !w.redriveOne(q, m) {
					kept = append(kept, m)
				} else {
					n++
				}
				// Else it would keep those of its group from being seen that
				// stand ten places behind.
				_ = q.Queue.Delete(context.Background(), m)
			}
		}
		for _, m := range kept {
			out := queue.Outgoing{Body: m.Body, Group: m.Group, Attributes: m.Attributes}
			if q.FIFO() {
				out.DedupID = "kept-" + m.ID
			}
			if err := q.Queue.SendFrom(context.Background(), m.Sender, out); err != nil {
				w.violate("world", "a dead letter was refused: %v", err)
			}
		}
	}
	return n
}

// redriveOne reports whether a dead letter is dealt with: sent again, or nothing
// can be made of it.
func (w *World) redriveOne(q *simQueue, m queue.Message) bool {
	item, err := w.item(m.Body)
	if err != nil {
		return true
	}
	switch reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) {
	case wire.ReasonForged, wire.ReasonSender, wire.ReasonMisaddressed:
		if w.byForger(item) {
			return true
		}
	case wire.ReasonExpired:
		if isTooOld(item) || w.shadow.hidden[item.Target()] > 0 { // It waited for an instance that was purged.
			w.reached("expired")
			return true
		}
	case wire.ReasonUnknownInstance:
		if w.shadow.last[item.Target()] == 0 {
			return false // Nobody ever started it.
		}
		if at, ok := w.shadow.purged[item.Target()]; ok && w.shadow.last[item.Target()] == w.shadow.hidden[item.Target()] && w.clock.Now().Sub(at) > wire.MaxAge {
			return false // It was purged, and nobody started it since.
		}
		return w.sendsAgain(item, m)
	case "":
		if w.recorded(item) {
			w.reached("W-07")
		}
		return w.sendsAgain(item, m)
	}
	w.violate("I-07", "dead letter with reason %q: %s", m.Attributes[wire.ReasonAttribute], bodyText(m.Body))
	return false
}

// sendsAgain sends a dead letter to where it came from.
func (w *World) sendsAgain(item *wire.Item, m queue.Message) bool {
	if item.Kind == wire.ActivityExecute {
		w.sendAs("a redrive", w.activity, queue.Outgoing{Body: m.Body, Attributes: redriveMarks(m)})
		return true
	}
	w.sendAs("a redrive", w.fifo, queue.Outgoing{Body: m.Body, Group: wire.Group(item.Target()), DedupID: wire.HopDedupID("", m.ID),
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

// all receives what is in a queue.
func all(q *simQueue) (messages []queue.Message) {
	for {
		batch, err := q.Queue.Receive(context.Background(), 10, 0)
		if err != nil || len(batch) == 0 {
			return messages
		}
		messages = append(messages, batch...)
	}
}
