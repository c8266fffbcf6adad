package memory

import (
	"time"
)

// lock locks the queue and brings it up to the present. Without error the
// caller unlocks.
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

// unlock arms the timer for what comes next and tells those who wait.
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

// arm sets the timer to due, the zero time to none. It is never set to
// anything but the next change, for a virtual clock skips to it.
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
	// This timer is spent, or an older one that fired while it was replaced;
	// either way the next has to be armed anew.
	if q.stopTimer != nil {
		q.stopTimer()
		q.stopTimer = nil
	}
	q.promote(q.opts.Clock.Now())
	q.unlock()
}

// promote deletes what is too old and makes visible what has become so by now. A message that was received
// as often as it may be goes to the dead-letter queue instead.
func (q *Queue) promote(now time.Time) {
	q.expire(now)
	for len(q.waiting) > 0 && !q.waiting[0].due.After(now) {
		m := q.waiting[0]
		if m.state == inFlight && q.opts.DeadLetter != nil && m.received >= q.opts.MaxReceiveCount {
			// First there, then gone from here: whoever counts both never
			// misses it.
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

// remove takes a message that is in flight, or visible on a standard queue,
// out of the queue.
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

// adopt takes a copy of a dead message in, as SQS does: the same id, body,
// attributes and group, the message id as deduplication id. A redrive never
// loses a message to deduplication. The caller holds the lock of the source; a
// dead-letter queue is made before its source, so there is no cycle of locks.
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
