package memory

import (
	"time"
)

// lock locks the queue and brings it up to date. If there is no error, the caller unlocks.
func (q *Queue) lock() (now time.Time, err error) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return time.Time{}, ErrClosed
	}
	now = q.opts.Clock.Now()
	q.promote(now)
	return now, nil
}

// unlock arms the timer for the next change and notifies waiting receivers.
func (q *Queue) unlock() {
	if len(q.waiting) > 0 && !q.closed {
		q.arm(q.waiting[0].due)
	} else {
		q.arm(time.Time{})
	}
	if q.ready != nil && (q.closed || q.receivable()) {
		close(q.ready)
		q.ready = nil
	}
	q.mu.Unlock()
}

// arm sets the timer to due; the zero time means none. It is set only to the next change, because a
// virtual clock skips to it.
func (q *Queue) arm(due time.Time) {
	if q.timerDue.Equal(due) && (q.stopTimer != nil) == !due.IsZero() {
		return
	}
	if q.stopTimer != nil {
		q.stopTimer()
		q.stopTimer = nil
	}
	q.timerDue = due
	if !due.IsZero() {
		q.stopTimer = q.opts.Clock.AfterFunc(due.Sub(q.opts.Clock.Now()), q.tick)
	}
}

func (q *Queue) tick() {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	// This timer has fired, or an older one fired while it was replaced; either way the next one has to
	// be armed.
	if q.stopTimer != nil {
		q.stopTimer()
		q.stopTimer = nil
	}
	q.promote(q.opts.Clock.Now())
	q.unlock()
}

// promote deletes expired messages and makes due messages visible. A message that was received as often
// as allowed goes to the dead-letter queue instead.
func (q *Queue) promote(now time.Time) {
	q.expire(now)
	for len(q.waiting) > 0 && !q.waiting[0].due.After(now) {
		m := q.waiting[0]
		if m.state == inFlight && q.opts.DeadLetter != nil && m.received >= q.opts.MaxReceiveCount {
			// Add it there before removing it here, so that counting both queues never misses it.
			q.opts.DeadLetter.adopt(m, now)
			q.remove(m)
			continue
		}
		q.waiting.remove(m)
		if m.state == delayed {
			q.counts.Delayed--
		} else {
			q.counts.InFlight--
			if m.group != nil {
				m.group.inFlight--
			}
		}
		q.show(m)
	}
}

// show makes a message visible.
func (q *Queue) show(m *message) {
	m.state = visible
	q.counts.Visible++
	if m.group == nil {
		q.visible.add(m)
		return
	}
	m.group.insert(m)
	q.readyGroups.place(m.group)
}

// remove removes a message that is in flight, or visible on a standard queue, from the queue.
func (q *Queue) remove(m *message) {
	q.forget(m)
	if m.state == visible {
		q.visible.remove(m)
		q.counts.Visible--
		return
	}
	q.waiting.remove(m)
	q.counts.InFlight--
	if g := m.group; g != nil {
		g.inFlight--
		q.readyGroups.place(g)
		if g.inFlight == 0 && len(g.visible) == 0 {
			delete(q.groups, g.id)
		}
	}
}

// adopt adds a copy of a dead message, as SQS does: with the same id, body, attributes and group, and
// with the message id as deduplication id. A redrive never loses a message to deduplication. The caller
// holds the lock of the source; a dead-letter queue is created before its source, so there is no cycle
// of locks.
func (q *Queue) adopt(dead *message, now time.Time) {
	m := &message{
		id:         dead.id,
		body:       dead.body,
		attributes: dead.attributes,
		sender:     dead.sender,
		sentAt:     dead.sentAt,
	}
	key := dedupKey{group: dead.fair, id: dead.id}
	if dead.group != nil {
		key.group = dead.group.id
		m.sentAt = now
	}
	q.mu.Lock()
	defer q.unlock()
	q.enter(m, key, now)
	q.show(m)
	q.noteSent(m)
}

// receivable reports whether a Receive would return something.
func (q *Queue) receivable() bool {
	return !q.paused && (q.visible.n > 0 || len(q.readyGroups) > 0)
}

// readySignal returns the channel that is closed when a message can be
// received.
func (q *Queue) readySignal() <-chan struct{} {
	if q.ready == nil {
		q.ready = make(chan struct{})
	}
	return q.ready
}
