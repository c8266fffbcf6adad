package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/journal"
)

// queueJournal stores the messages of a queue.
type queueJournal struct {
	db   *DB
	name string

	mu sync.Mutex
	// once are the messages that have been received once and are not deleted. They are written only
	// when the runtime ends, because most are deleted by then, and after a crash all earlier messages
	// count as received once more anyway.
	once map[int64]struct{}
	// last is the greatest Seq that was assigned.
	last int64
}

var _ journal.Queue = (*queueJournal)(nil)

// Queue implements embedded.Database. Each name has one journal.
func (db *DB) Queue(name string) journal.Queue {
	db.mu.Lock()
	defer db.mu.Unlock()
	j := db.queues[name]
	if j == nil {
		j = &queueJournal{db: db, name: name, once: map[int64]struct{}{}, last: db.base}
		db.queues[name] = j
	}
	return j
}

// Queues implements embedded.Database.
func (db *DB) Queues() (names []string, err error) {
	err = db.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			names = append(names, s.ColumnText(0))
			return nil
		}, "SELECT DISTINCT queue FROM messages ORDER BY queue")
	})
	return names, err
}

// Ready implements journal.Queue.
func (j *queueJournal) Ready() error { return j.db.writer.ready() }

// Load implements journal.Queue.
func (j *queueJournal) Load() (journal.Contents, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := journal.Contents{LastSeq: j.last}
	now := j.db.options.now()
	err := j.db.readers.read(func(c *conn) error {
		err := c.query(func(s *sqlite3.Stmt) error {
			m, err := scanMessage(s)
			kept.Messages = append(kept.Messages, m)
			if r := rememberedOf(&m); m.DedupID != "" && now.Before(r.Until) {
				kept.Remembered = append(kept.Remembered, r)
			}
			return err
		}, "SELECT seq, id, body, grp, dedup_id, received, sent_ns, due_ns, attributes, sender FROM messages WHERE queue = ? ORDER BY seq", j.name)
		if err != nil {
			return err
		}
		return c.query(func(s *sqlite3.Stmt) error {
			for line := range strings.Lines(s.ColumnText(0)) {
				r, err := parseRemembered(strings.TrimSuffix(line, "\n"))
				if err != nil {
					return &unreadableError{"a deduplication id of queue " + j.name, err}
				}
				if now.Before(r.Until) {
					kept.Remembered = append(kept.Remembered, r)
				}
			}
			return nil
		}, "SELECT ids FROM remembered WHERE queue = ? ORDER BY until_ns", j.name)
	})
	slices.SortStableFunc(kept.Remembered, func(a, b journal.Remembered) int { return a.Until.Compare(b.Until) })
	return kept, err
}

// rememberedOf returns the deduplication id that a message of a FIFO queue was sent with.
func rememberedOf(m *journal.Message) journal.Remembered {
	return journal.Remembered{Group: m.Group, DedupID: m.DedupID, MessageID: m.ID, Until: m.SentAt.Add(journal.DedupWindow)}
}

func scanMessage(s *sqlite3.Stmt) (journal.Message, error) {
	m := journal.Message{Seq: s.ColumnInt64(0)}
	m.ID, m.Body, m.Group, m.DedupID = s.ColumnText(1), s.ColumnText(2), s.ColumnText(3), s.ColumnText(4)
	m.ReceiveCount, m.SentAt, m.Sender = s.ColumnInt(5), time.Unix(0, s.ColumnInt64(6)), s.ColumnText(9)
	if s.ColumnType(7) != sqlite3.NULL {
		m.Due = time.Unix(0, s.ColumnInt64(7))
	}
	if s.ColumnType(8) != sqlite3.NULL {
		if err := json.Unmarshal([]byte(s.ColumnText(8)), &m.Attributes); err != nil {
			return m, &unreadableError{"message " + m.ID, err}
		}
	}
	return m, nil
}

// Sent implements journal.Queue.
func (j *queueJournal) Sent(m journal.Message) {
	j.mu.Lock()
	j.last = max(j.last, m.Seq)
	j.mu.Unlock()
	j.db.writer.note(func(n *notes) {
		n.sent(j.name, m)
		if m.DedupID != "" {
			r := rememberedOf(&m)
			n.remember(j.name, rememberedLine(&r), r.Until)
		}
	})
}

// Received implements journal.Queue.
func (j *queueJournal) Received(seq int64, count int) {
	if seq <= j.db.base {
		// The message existed when a process ended without closing the database, and may have
		// caused that end. Its receives must be counted, so this waits until the receive is
		// written. If it cannot be written now, it is written with the next notes.
		j.db.writer.note(func(n *notes) { n.received(j.name, seq, count) })
		_ = j.db.writer.relax(context.Background())
		return
	}
	if count == 1 {
		j.mu.Lock()
		j.once[seq] = struct{}{}
		j.mu.Unlock()
		return
	}
	j.forget(seq)
	j.db.writer.note(func(n *notes) { n.received(j.name, seq, count) })
}

// Deleted implements journal.Queue.
func (j *queueJournal) Deleted(seq int64) {
	j.forget(seq)
	j.db.writer.note(func(n *notes) { n.deleted(j.name, seq) })
}

func (j *queueJournal) forget(seq int64) {
	j.mu.Lock()
	delete(j.once, seq)
	j.mu.Unlock()
}

// settle notes the receives that are not written yet.
func (j *queueJournal) settle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.db.writer.note(func(n *notes) {
		for seq := range j.once {
			n.received(j.name, seq, 1)
		}
	})
	clear(j.once)
}
