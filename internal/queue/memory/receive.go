package memory

import (
	"container/heap"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Receive receives messages; see queue.Queue. A batch may have several groups; of each group it has the
// oldest messages, in order.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]queue.Message, error) {
	if max < 1 || max > queue.MaxReceive {
		return nil, fmt.Errorf("queue: a receive takes 1 to %d messages, not %d", queue.MaxReceive, max)
	}
	if wait <= 0 {
		msgs, _, err := q.receiveNow(ctx, max, false)
		return msgs, err
	}
	var timeout chan struct{}
	for last := false; ; {
		msgs, ready, err := q.receiveNow(ctx, max, !last)
		if err != nil || len(msgs) > 0 || last {
			return msgs, err
		}
		if timeout == nil {
			timeout = make(chan struct{})
			over := timeout
			stop := q.opts.Clock.AfterFunc(wait, func() { close(over) })
			defer stop()
		}
		select {
		case <-ctx.Done():
		case <-ready:
		case <-timeout:
			// Try once more, for messages that became visible at this very moment.
			last = true
		}
	}
}

// receiveNow receives the messages that are visible. If there are none and the caller waits, ready
// signals when there are.
func (q *Queue) receiveNow(ctx context.Context, max int, waits bool) (msgs []queue.Message, ready <-chan struct{}, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	now, err := q.lock()
	if err != nil {
		return nil, nil, err
	}
	defer q.unlock()
	if msgs = q.take(max, now); len(msgs) == 0 && waits {
		ready = q.readySignal()
	}
	return msgs, ready, nil
}

func (q *Queue) take(max int, now time.Time) []queue.Message {
	var out []queue.Message
	for len(out) < max && !q.paused {
		m := q.next()
		if m == nil {
			break
		}
		out = append(out, q.deliver(m, now))
		if g := m.group; g != nil {
			// The rest of the batch may contain more of this group, in order.
			for len(out) < max && len(g.visible) > 0 {
				m := g.visible[0]
				g.visible = g.visible[1:]
				out = append(out, q.deliver(m, now))
			}
		}
	}
	return out
}

// next removes the next message that may be received from the visible messages.
func (q *Queue) next() *message {
	if !q.opts.FIFO {
		return q.visible.next()
	}
	if len(q.readyGroups) == 0 {
		return nil
	}
	g := heap.Pop(&q.readyGroups).(*group)
	m := g.visible[0]
	g.visible = g.visible[1:]
	return m
}

func (q *Queue) deliver(m *message, now time.Time) queue.Message {
	m.received++
	m.receivedAt = now
	m.state, m.due = inFlight, now.Add(q.opts.Visibility)
	if m.group != nil {
		m.group.inFlight++
	}
	q.counts.Visible--
	q.counts.InFlight++
	q.waiting.add(m)
	if j := q.opts.Journal; j != nil {
		j.Received(m.seq, m.received)
	}
	return m.view()
}

// Delete acknowledges a message; see queue.Queue. As on SQS, a receipt is valid on a FIFO queue while
// the message is in flight, and on a standard queue until the message is received again: there an older
// receipt may work, but need not (https://repost.aws/knowledge-center/sqs-receipt-handle-error).
func (q *Queue) Delete(ctx context.Context, msg queue.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := q.lock()
	if err != nil {
		return err
	}
	defer q.unlock()
	m := q.find(msg.Receipt)
	if m == nil {
		return nil
	}
	if m.receipt() != msg.Receipt || q.opts.FIFO && m.state != inFlight {
		return fmt.Errorf("message %s: %w", m.id, queue.ErrReceiptExpired)
	}
	q.remove(m)
	return nil
}

// SetVisibility makes messages visible again after d; see queue.Queue.
func (q *Queue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d < 0 || d > queue.MaxVisibility {
		return fmt.Errorf("queue: visibility timeout is %s: it must be from 0 to %s", d, queue.MaxVisibility)
	}
	now, err := q.lock()
	if err != nil {
		return err
	}
	defer q.unlock()
	failed := map[int]error{}
	for i := range msgs {
		m := q.find(msgs[i].Receipt)
		if m == nil || m.receipt() != msgs[i].Receipt || m.state != inFlight {
			failed[i] = fmt.Errorf("message %s: %w", msgs[i].ID, queue.ErrReceiptExpired)
			continue
		}
		if most := m.receivedAt.Add(queue.MaxVisibility); q.opts.TotalVisibility && now.Add(d).After(most) {
			failed[i] = fmt.Errorf("message %s: a visibility timeout of %s, set %s after the receive, exceeds the total limit of %s", m.id, d, now.Sub(m.receivedAt), queue.MaxVisibility)
			continue
		}
		q.waiting.remove(m)
		m.due = now.Add(d)
		q.waiting.add(m)
	}
	q.promote(now)
	return queue.Partial(failed, len(msgs))
}

// find returns the message of a receipt, from any delivery.
func (q *Queue) find(receipt string) *message {
	i := strings.LastIndexByte(receipt, '#')
	if i < 0 {
		return nil
	}
	return q.messages[receipt[:i]]
}
