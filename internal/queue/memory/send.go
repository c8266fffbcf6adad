package memory

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Send sends messages; see queue.Queue. Without an error, all were sent.
func (q *Queue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	_, err := q.SendIDs(ctx, msgs...)
	return err
}

// SendIDs is like Send, and returns the ids of the messages. A deduplicated message has the id of the
// message that was sent first.
func (q *Queue) SendIDs(ctx context.Context, msgs ...queue.Outgoing) ([]string, error) {
	return q.sendFrom(ctx, "", msgs)
}

// SendFrom is like Send, with a sender that the service knows: the Sender of the messages.
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

// tooLarge returns SQS's error for a message that is longer than its queue accepts.
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

// place makes a new message visible, now or when it is due.
func (q *Queue) place(m *message, due, now time.Time) {
	if due.After(now) {
		m.state, m.due = delayed, due
		q.counts.Delayed++
		q.waiting.add(m)
	} else {
		q.show(m)
	}
}

// enter adds m to this queue; it is not yet visible.
func (q *Queue) enter(m *message, key dedupKey, now time.Time) {
	q.lastSeq++
	m.seq = q.lastSeq
	if q.opts.FIFO {
		m.dedupID = key.id
		q.dedup.remember(key, m.id, now)
	}
	q.join(m, key.group)
}

// join adds a message to the queue's messages, and to its group.
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
