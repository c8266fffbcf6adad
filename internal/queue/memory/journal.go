package memory

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/journal"
)

// load fills an empty queue from its journal.
func (q *Queue) load() error {
	if q.opts.Journal == nil {
		return nil
	}
	kept, err := q.opts.Journal.Load()
	if err != nil {
		return fmt.Errorf("queue %q: %w", q.opts.Name, err)
	}
	q.mu.Lock()
	defer q.unlock()
	now := q.opts.Clock.Now()
	for _, r := range kept.Remembered {
		q.dedup.add(dedupEntry{dedupKey{r.Group, r.DedupID}, r.MessageID, r.Until})
	}
	for i := range kept.Messages {
		k := &kept.Messages[i]
		m := &message{
			id: k.ID, body: k.Body, dedupID: k.DedupID, attributes: k.Attributes, sender: k.Sender,
			sentAt: k.SentAt, seq: k.Seq, received: k.ReceiveCount,
		}
		q.join(m, k.Group)
		q.lastSeq = max(q.lastSeq, m.seq)
		q.place(m, k.Due, now)
	}
	q.lastSeq = max(q.lastSeq, kept.LastSeq)
	return nil
}

// journalReady returns an error if the journal currently accepts nothing.
func (q *Queue) journalReady() error {
	if q.opts.Journal == nil {
		return nil
	}
	err := q.opts.Journal.Ready()
	if errors.Is(err, journal.ErrUnavailable) {
		return fmt.Errorf("%w: %w", queue.ErrUnavailable, err)
	}
	return err
}

// noteSent notes a new message in the journal.
func (q *Queue) noteSent(m *message) {
	if j := q.opts.Journal; j != nil {
		seen := m.seen()
		k := journal.Message{
			Seq: m.seq, ID: seen.ID, Body: seen.Body, Group: seen.Group, DedupID: seen.DedupID,
			ReceiveCount: seen.ReceiveCount, SentAt: seen.SentAt, Attributes: seen.Attributes, Sender: seen.Sender,
		}
		if m.state == delayed {
			k.Due = m.due
		}
		j.Sent(k)
	}
}

// forget removes a message from the map of all messages, and notes that in the journal.
func (q *Queue) forget(m *message) {
	delete(q.messages, m.id)
	if j := q.opts.Journal; j != nil {
		j.Deleted(m.seq)
	}
}
