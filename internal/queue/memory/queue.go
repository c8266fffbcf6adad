package memory

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("queue: closed")

// Queue is a queue in memory. It implements queue.Queue and is safe for
// concurrent use.
type Queue struct {
	opts Options

	mu       sync.Mutex
	closed   bool
	lastSeq  int64
	messages map[string]*message
	counts   Counts
	// waiting holds what is in flight or delayed.
	waiting dueHeap
	// oldest is no later than when the oldest message was sent.
	oldest time.Time
	// readyGroups and groups: FIFO only. visible: standard only.
	groups      map[string]*group
	readyGroups groupHeap
	visible     shares
	dedup       dedup

	// ready is closed when a message can be received; nil while nobody asks.
	ready chan struct{}
	// stopTimer stops the timer armed for timerDue; nil while none is.
	stopTimer func() bool
	timerDue  time.Time
}

var _ queue.Queue = (*Queue)(nil)

// New returns a queue, with what its journal has kept or empty. The error names
// every option that can't be.
func New(opts Options) (*Queue, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	q := &Queue{opts: opts, messages: map[string]*message{}, groups: map[string]*group{}}
	if err := q.load(); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// FIFO reports whether it is a FIFO queue.
func (q *Queue) FIFO() bool { return q.opts.FIFO }

// Close stops the queue's timer and lets waiting receivers return ErrClosed.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.unlock()
	q.closed = true
}

// Send sends messages; see queue.Queue. Without error, all are in.
func (q *Queue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	_, err := q.SendIDs(ctx, msgs...)
	return err
}

// SendIDs is Send with the ids of the messages. One that was deduplicated has
// the id of the message that was sent first.
func (q *Queue) SendIDs(ctx context.Context, msgs ...queue.Outgoing) ([]string, error) {
	return q.sendFrom(ctx, "", msgs)
}

// SendFrom is Send by somebody whom the service knows: the Sender of the
// messages.
func (q *Queue) SendFrom(ctx context.Context, sender string, msgs ...queue.Outgoing) error {
	_, err := q.sendFrom(ctx, sender, msgs)
	return err
}

func (q *Queue) sendFrom(ctx context.Context, sender string, msgs []queue.Outgoing) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := queue.ValidateAll(q.opts.FIFO, msgs); err != nil {
		return nil, err
	}
	now, err := q.lock()
	if err != nil {
		return nil, err
	}
	defer q.unlock()
	if err := q.journalReady(); err != nil {
		return nil, err
	}
	ids := make([]string, len(msgs))
	var failed map[int]error
	for i, o := range msgs {
		if size := o.Size(); size > q.opts.MaxBytes {
			if failed == nil {
				failed = map[int]error{}
			}
			failed[i] = q.tooLarge(i, size)
			continue
		}
		ids[i] = q.send(sender, o, now)
	}
	return ids, queue.Partial(failed, len(msgs))
}

// tooLarge is what SQS says of a message that is longer than its queue takes.
func (q *Queue) tooLarge(i, size int) error {
	return &queue.RejectedError{Index: i, TooLarge: true, Code: "InvalidParameterValue",
		Message: fmt.Sprintf("One or more parameters are invalid. Reason: Message must be shorter than %d bytes; it has %d.", q.opts.MaxBytes, size)}
}

func (q *Queue) send(sender string, o queue.Outgoing, now time.Time) string {
	key := dedupKey{o.Group, o.DedupID}
	if q.opts.FIFO {
		if key.id == "" {
			key.id = contentID(o.Body)
		}
		if id, sent := q.dedup.find(key, now); sent {
			return id
		}
	}
	m := &message{
		id:         q.opts.Name + "-" + strconv.FormatInt(q.lastSeq+1, 10),
		body:       o.Body,
		sender:     sender,
		attributes: maps.Clone(o.Attributes),
		sentAt:     now,
	}
	q.enter(m, key, now)
	var due time.Time
	if o.Delay > 0 {
		due = now.Add(o.Delay)
	}
	q.place(m, due, now)
	q.noteSent(m)
	return m.id
}

// place lets a message that has entered wait until it is due, or shows it.
func (q *Queue) place(m *message, due, now time.Time) {
	if due.After(now) {
		m.state, m.due = delayed, due
		q.counts.Delayed++
		q.waiting.add(m)
	} else {
		q.show(m)
	}
}

// enter makes m a message of this queue; it is not yet visible.
func (q *Queue) enter(m *message, key dedupKey, now time.Time) {
	q.lastSeq++
	m.seq = q.lastSeq
	if q.opts.FIFO {
		m.dedupID = key.id
		q.dedup.remember(key, m.id, now)
	}
	q.join(m, key.group)
}

// join puts a message among the others, and into its group.
func (q *Queue) join(m *message, id string) {
	if q.opts.FIFO {
		m.group = q.groups[id]
		if m.group == nil {
			m.group = &group{id: id, index: -1}
			q.groups[id] = m.group
		}
	} else {
		m.fair = id
	}
	if len(q.messages) == 0 || m.sentAt.Before(q.oldest) {
		q.oldest = m.sentAt
	}
	q.messages[m.id] = m
}

// Receive receives messages; see queue.Queue. A batch may have several groups;
// of one group it has the oldest messages, in order.
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
			// Once more: what became visible at this very moment counts.
			last = true
		}
	}
}

// receiveNow receives what there is. If there is nothing, and somebody waits for
// it, ready tells when there is.
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
	for len(out) < max {
		m := q.next()
		if m == nil {
			break
		}
		out = append(out, q.deliver(m, now))
		if g := m.group; g != nil {
			// The rest of the batch may have more of this group, in order.
			for len(out) < max && len(g.visible) > 0 {
				m := g.visible[0]
				g.visible = g.visible[1:]
				out = append(out, q.deliver(m, now))
			}
		}
	}
	return out
}

// next removes the next message that may be received from the visible ones.
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

// Delete acknowledges a message; see queue.Queue. As on SQS a receipt is good
// on a FIFO queue while the message is in flight, on a standard queue until it
// is received again.
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

// SetVisibility lets messages come back after d; see queue.Queue.
func (q *Queue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d < 0 || d > queue.MaxVisibility {
		return fmt.Errorf("queue: visibility timeout %s is not within 0 and %s", d, queue.MaxVisibility)
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
			failed[i] = fmt.Errorf("message %s: a visibility timeout of %s, %s after the receipt, ends more than %s after it", m.id, d, now.Sub(m.receivedAt), queue.MaxVisibility)
			continue
		}
		q.waiting.remove(m)
		m.due = now.Add(d)
		q.waiting.add(m)
	}
	q.promote(now)
	return queue.Partial(failed, len(msgs))
}

// find returns the message that a receipt, of whichever delivery, addresses.
func (q *Queue) find(receipt string) *message {
	i := strings.LastIndexByte(receipt, '#')
	if i < 0 {
		return nil
	}
	return q.messages[receipt[:i]]
}
