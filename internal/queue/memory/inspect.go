package memory

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Counts are the numbers of a queue's messages. If all are zero, the queue is empty.
type Counts struct {
	// Visible messages, including those that their FIFO group holds back.
	Visible int
	// InFlight messages were received, and are neither deleted nor visible again.
	InFlight int
	// Delayed messages were sent with a delay that has not passed.
	Delayed int
}

// Total of all messages.
func (c Counts) Total() int { return c.Visible + c.InFlight + c.Delayed }

// Counts returns the exact current numbers. A message that moves to the dead-letter queue is counted in
// one of the two queues, or for a moment in both.
func (q *Queue) Counts() Counts {
	q.present()
	defer q.unlock()
	return q.counts
}

// NextDue returns when the next message that is in flight or delayed becomes visible by itself; false
// if there is none.
func (q *Queue) NextDue() (time.Time, bool) {
	q.present()
	defer q.unlock()
	if len(q.waiting) == 0 {
		return time.Time{}, false
	}
	return q.waiting[0].due, true
}

// Ready returns a channel that is closed as soon as a message can be received, which may be
// immediately. Close closes it too. Call Ready before each wait: a closed channel says nothing about
// later.
func (q *Queue) Ready() <-chan struct{} {
	q.present()
	defer q.unlock()
	return q.readySignal()
}

// Peek returns all messages in the order of sending, whatever their state, without receiving them; they
// have no receipt.
func (q *Queue) Peek() []queue.Message {
	q.present()
	defer q.unlock()
	all := q.ordered()
	out := make([]queue.Message, len(all))
	for i, m := range all {
		out[i] = m.seen()
	}
	return out
}

// Any reports whether is returns true for the body of a message, whatever its state. It calls is in any
// order; is must not call the queue.
func (q *Queue) Any(is func(body string) bool) bool {
	q.present()
	defer q.unlock()
	for _, m := range q.messages {
		if is(m.body) {
			return true
		}
	}
	return false
}

// present locks the queue, closed or not, and brings it up to date. The caller unlocks.
func (q *Queue) present() {
	q.mu.Lock()
	if !q.closed {
		q.promote(q.opts.Clock.Now())
	}
}

// Held is a message of the queue and its state.
type Held struct {
	queue.Message
	// Visible; otherwise the message is in flight or, if it was never received, delayed until Due.
	Visible bool
	Due     time.Time
}

// Snapshot returns the messages in the order of sending, with their state. It makes messages visible
// that are due by now, and changes nothing else.
func (q *Queue) Snapshot() []Held {
	q.present()
	defer q.unlock()
	out := make([]Held, 0, len(q.messages))
	for _, m := range q.ordered() {
		h := Held{Message: m.view(), Visible: m.state == visible}
		if !h.Visible {
			h.Due = m.due
		}
		out = append(out, h)
	}
	return out
}

// Remembered returns what a FIFO queue currently deduplicates: the id of the first message by group and
// deduplication id, separated by a line feed.
func (q *Queue) Remembered() map[string]string {
	q.present()
	defer q.unlock()
	q.dedup.find(dedupKey{}, q.opts.Clock.Now()) // forgets expired ids
	out := make(map[string]string, len(q.dedup.ids))
	for k, e := range q.dedup.ids {
		out[k.group+"\n"+k.id] = e.sent
	}
	return out
}

// ReceiveThese receives exactly these messages, in this order, for tests that choose the content of a
// batch. All of them must be visible. On a FIFO queue they must be the oldest messages of one group
// that has none in flight.
func (q *Queue) ReceiveThese(ids ...string) ([]queue.Message, error) {
	now, err := q.lock()
	if err != nil {
		return nil, err
	}
	defer q.unlock()
	for i, id := range ids {
		m := q.messages[id]
		switch {
		case m == nil || m.state != visible:
			return nil, fmt.Errorf("queue %q: message %q is not visible", q.opts.Name, id)
		case q.opts.FIFO && (m.group.inFlight > 0 || i >= len(m.group.visible) || m.group.visible[i] != m):
			return nil, fmt.Errorf("queue %q: message %q is not the next of its group", q.opts.Name, id)
		}
	}
	var out []queue.Message
	for _, id := range ids {
		m := q.messages[id]
		if g := m.group; g != nil {
			if g.index >= 0 {
				heap.Remove(&q.readyGroups, g.index)
			}
			g.visible = g.visible[1:]
		} else {
			q.visible.remove(m)
		}
		out = append(out, q.deliver(m, now))
	}
	return out, nil
}

// Inherit accepts a message that another queue has given up, as a dead-letter queue does: it keeps its
// id and, on a standard queue, its age. It reports whether it did; it ignores a message that it already
// has.
func (q *Queue) Inherit(dead queue.Message) bool {
	q.present()
	_, there := q.messages[dead.ID]
	q.unlock()
	if there {
		return false
	}
	m := &message{id: dead.ID, body: dead.Body, attributes: dead.Attributes, sender: dead.Sender, sentAt: dead.SentAt}
	if q.opts.FIFO {
		m.group = &group{id: dead.Group}
	}
	q.adopt(m, q.opts.Clock.Now())
	return true
}

// Remove removes a message from the queue, whatever its state. It reports whether the message existed.
func (q *Queue) Remove(id string) bool {
	q.present()
	defer q.unlock()
	m := q.messages[id]
	if m == nil {
		return false
	}
	q.drop(m)
	return true
}

// ordered returns all messages in the order of sending.
func (q *Queue) ordered() []*message {
	all := make([]*message, 0, len(q.messages))
	for _, m := range q.messages {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *message) int { return cmp.Compare(a.seq, b.seq) })
	return all
}
