package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/journal"
)

// notes are the changes that the journals of queues and timer have noted since the last transaction.
// Changes that cancel each other are left out: a message that was sent and deleted in between is never
// written.
type notes struct {
	messages   map[messageKey]messageNote
	remembered map[string]*rememberedNote
	schedules  map[string]scheduleNote
}

type messageKey struct {
	queue string
	seq   int64
}

// messageNote is the change of a message: sent, if it was sent since then, or else received or deleted.
type messageNote struct {
	sent     *journal.Message
	received int
	deleted  bool
}

// rememberedNote has the deduplication ids that a queue must remember.
type rememberedNote struct {
	lines strings.Builder
	until time.Time
}

// scheduleNote is a schedule that was created; nil for one that was removed.
type scheduleNote struct {
	created *journal.Schedule
	order   int64
}

// pressing reports whether there are notes other than deduplication ids.
func (n *notes) pressing() bool { return len(n.messages) > 0 || len(n.schedules) > 0 }

func (n *notes) message(key messageKey, change func(m messageNote) (note messageNote, keep bool)) {
	if n.messages == nil {
		n.messages = map[messageKey]messageNote{}
	}
	m, keep := change(n.messages[key])
	if keep {
		n.messages[key] = m
	} else {
		delete(n.messages, key)
	}
}

func (n *notes) sent(queue string, m journal.Message) {
	n.message(messageKey{queue, m.Seq}, func(messageNote) (messageNote, bool) { return messageNote{sent: &m}, true })
}

func (n *notes) received(queue string, seq int64, count int) {
	n.message(messageKey{queue, seq}, func(m messageNote) (messageNote, bool) {
		if m.sent != nil {
			changed := *m.sent
			changed.ReceiveCount = count
			return messageNote{sent: &changed}, true
		}
		return messageNote{received: count}, true
	})
}

func (n *notes) deleted(queue string, seq int64) {
	n.message(messageKey{queue, seq}, func(m messageNote) (messageNote, bool) {
		return messageNote{deleted: true}, m.sent == nil
	})
}

func (n *notes) remember(queue, line string, until time.Time) {
	if n.remembered == nil {
		n.remembered = map[string]*rememberedNote{}
	}
	r := n.remembered[queue]
	if r == nil {
		r = &rememberedNote{}
		n.remembered[queue] = r
	}
	r.lines.WriteString(line)
	if until.After(r.until) {
		r.until = until
	}
}

func (n *notes) schedule(name string, note scheduleNote) {
	if n.schedules == nil {
		n.schedules = map[string]scheduleNote{}
	}
	n.schedules[name] = note
}

// append adds later notes.
func (n *notes) append(later *notes) {
	for key, m := range later.messages {
		switch {
		case m.sent != nil:
			n.sent(key.queue, *m.sent)
		case m.deleted:
			n.deleted(key.queue, key.seq)
		default:
			n.received(key.queue, key.seq, m.received)
		}
	}
	for queue, r := range later.remembered {
		n.remember(queue, r.lines.String(), r.until)
	}
	for name, s := range later.schedules {
		n.schedule(name, s)
	}
}

// apply writes the notes.
func (n *notes) apply(c *conn) error {
	for key, m := range n.messages {
		var err error
		switch {
		case m.sent != nil:
			err = insertMessage(c, key.queue, m.sent)
		case m.deleted:
			err = c.exec("DELETE FROM messages WHERE queue = ? AND seq = ?", key.queue, key.seq)
		default:
			err = c.exec("UPDATE messages SET received = ? WHERE queue = ? AND seq = ?", m.received, key.queue, key.seq)
		}
		if err != nil {
			return err
		}
	}
	for name, r := range n.remembered {
		err := c.exec("INSERT INTO remembered (until_ns, queue, ids) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ids = ids || excluded.ids", r.until.UnixNano(), name, r.lines.String())
		if err == nil {
			// The comparison uses the clock of the queue at the time of the last send.
			err = c.exec("DELETE FROM remembered WHERE until_ns <= ?", r.until.Add(-journal.DedupWindow).UnixNano())
		}
		if err != nil {
			return err
		}
	}
	for name, s := range n.schedules {
		var err error
		if s.created == nil {
			err = c.exec("DELETE FROM schedules WHERE name = ?", name)
		} else {
			err = c.exec("INSERT OR REPLACE INTO schedules (name, created, due_ns, body, grp) VALUES (?, ?, ?, ?, ?)",
				name, s.order, s.created.Due.UnixNano(), s.created.Body, text(s.created.Group))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func insertMessage(c *conn, queue string, m *journal.Message) error {
	var due, attributes any
	if !m.Due.IsZero() {
		due = m.Due.UnixNano()
	}
	if len(m.Attributes) > 0 {
		b, err := json.Marshal(m.Attributes)
		if err != nil {
			return fmt.Errorf("decoding the attributes of message %s: %w", m.ID, err)
		}
		attributes = string(b)
	}
	return c.exec("INSERT OR REPLACE INTO messages (queue, seq, id, body, grp, dedup_id, received, sent_ns, due_ns, attributes, sender) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		queue, m.Seq, m.ID, m.Body, text(m.Group), text(m.DedupID), m.ReceiveCount, m.SentAt.UnixNano(), due, attributes, text(m.Sender))
}

// rememberedLine encodes a deduplication id for storage: none of its parts has a space in it.
func rememberedLine(r *journal.Remembered) string {
	return r.Group + " " + r.DedupID + " " + r.MessageID + " " + strconv.FormatInt(r.Until.UnixNano(), 10) + "\n"
}

func parseRemembered(line string) (r journal.Remembered, err error) {
	parts := strings.Split(line, " ")
	if len(parts) != 4 {
		return r, fmt.Errorf("%.60q is not a deduplication id", line)
	}
	until, err := strconv.ParseInt(parts[3], 10, 64)
	return journal.Remembered{Group: parts[0], DedupID: parts[1], MessageID: parts[2], Until: time.Unix(0, until)}, err
}
