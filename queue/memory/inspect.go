package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/queue"
)

// Counts of a queue's messages. All zero: the queue is empty.
type Counts struct {
	// Visible messages, those that their FIFO group holds back included.
	Visible int
	// InFlight: received and neither deleted nor back.
	InFlight int
	// Delayed: sent with a delay that has not passed.
	Delayed int
}

// Total of all messages.
func (c Counts) Total() int { return c.Visible + c.InFlight + c.Delayed }

// Counts returns the exact numbers of now. A message on its way to the
// dead-letter queue is in one of the two, or for a moment in both.
func (q *Queue) Counts() Counts {
	q.present()
	defer q.unlock()
	return q.counts
}

// NextDue returns when the next message that is in flight or delayed becomes
// visible by itself; false when there is none.
func (q *Queue) NextDue() (time.Time, bool) {
	q.present()
	defer q.unlock()
	if len(q.waiting) == 0 {
		return time.Time{}, false
	}
	return q.waiting[0].due, true
}

// Ready returns a channel that is closed as soon as a message can be received;
// at once if one can be now. It is closed by Close too. Ask before each wait:
// a closed channel says nothing about later.
func (q *Queue) Ready() <-chan struct{} {
	q.present()
	defer q.unlock()
	return q.readySignal()
}

// Peek returns all messages in the order of sending, whatever their state,
// without receiving them: they have no receipt.
func (q *Queue) Peek() []queue.Message {
	q.present()
	defer q.unlock()
	all := make([]*message, 0, len(q.messages))
	for _, m := range q.messages {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *message) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]queue.Message, len(all))
	for i, m := range all {
		out[i] = m.view()
		out[i].Receipt = ""
	}
	return out
}

// present locks the queue, closed or not, and brings it up to the present. The
// caller unlocks.
func (q *Queue) present() {
	q.mu.Lock()
	if !q.closed {
		q.promote(q.opts.Clock.Now())
	}
}
