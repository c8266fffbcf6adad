package memory

import (
	"container/heap"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// expire deletes messages that are older than the retention, whatever their state: received or not,
// dead letter or not, as on SQS. It looks at the messages only if the oldest can be that old.
func (q *Queue) expire(now time.Time) {
	if q.opts.Retention == 0 || len(q.messages) == 0 || now.Sub(q.oldest) <= q.opts.Retention {
		return
	}
	q.oldest = now
	var gone []queue.Message
	for _, m := range q.ordered() {
		if now.Sub(m.sentAt) > q.opts.Retention {
			gone = append(gone, m.seen())
			q.drop(m)
			continue
		}
		if m.sentAt.Before(q.oldest) {
			q.oldest = m.sentAt
		}
	}
	if q.opts.Expired != nil {
		for _, m := range gone {
			q.opts.Expired(m)
		}
	}
}

// drop removes a message from the queue, whatever its state.
func (q *Queue) drop(m *message) {
	switch {
	case m.state == delayed:
		q.forget(m)
		q.waiting.remove(m)
		q.counts.Delayed--
	case m.state == visible && m.group != nil:
		q.forget(m)
		q.counts.Visible--
		g := m.group
		first := g.visible[0] == m
		if first && g.index >= 0 {
			heap.Remove(&q.readyGroups, g.index)
		}
		g.visible = slices.DeleteFunc(g.visible, func(v *message) bool { return v == m })
		q.readyGroups.place(g)
	default:
		q.remove(m)
	}
	if g := m.group; g != nil && g.inFlight == 0 && len(g.visible) == 0 {
		delete(q.groups, g.id)
	}
}
