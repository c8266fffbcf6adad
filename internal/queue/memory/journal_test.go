package memory_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/journal"
)

// notes is a journal in two maps.
type notes struct {
	messages   map[int64]journal.Message
	remembered []journal.Remembered
	last       int64
	refuses    error
	fifo       bool
}

func newNotes(fifo bool) *notes { return &notes{messages: map[int64]journal.Message{}, fifo: fifo} }

func (n *notes) Load() (journal.Contents, error) {
	messages := slices.SortedFunc(maps.Values(n.messages), func(a, b journal.Message) int { return cmp.Compare(a.Seq, b.Seq) })
	return journal.Contents{Messages: messages, Remembered: n.remembered, LastSeq: n.last}, n.refuses
}

func (n *notes) Ready() error { return n.refuses }

func (n *notes) Sent(m journal.Message) {
	n.messages[m.Seq] = m
	n.last = m.Seq
	if n.fifo {
		n.remembered = append(n.remembered, journal.Remembered{Group: m.Group, DedupID: m.DedupID, MessageID: m.ID, Until: m.SentAt.Add(journal.DedupWindow)})
	}
}

func (n *notes) Received(seq int64, count int) {
	m := n.messages[seq]
	m.ReceiveCount = count
	n.messages[seq] = m
}

func (n *notes) Deleted(seq int64) { delete(n.messages, seq) }

func TestAJournalThatIsNotReadyRefusesWhatIsSent(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	n := newNotes(true)
	q := open(t, memory.Options{Name: "orders", FIFO: true, Journal: n})
	m := queue.Outgoing{Body: "x", Group: "a"}
	n.refuses = full
	if err := q.Send(t.Context(), m); !errors.Is(err, full) || errors.Is(err, queue.ErrUnavailable) || q.Counts() != (memory.Counts{}) {
		t.Errorf("Send: %v, and the queue has %+v", err, q.Counts())
	}
	n.refuses = fmt.Errorf("%w: %w", journal.ErrUnavailable, full)
	if err := q.Send(t.Context(), m); !errors.Is(err, full) || !errors.Is(err, queue.ErrUnavailable) || q.Counts() != (memory.Counts{}) {
		t.Errorf("Send: %v, and the queue has %+v; trouble that passes is queue.ErrUnavailable", err, q.Counts())
	}
	if _, err := memory.New(memory.Options{Name: "orders", FIFO: true, Journal: n}); !errors.Is(err, full) || !strings.Contains(err.Error(), "orders") {
		t.Errorf("New: %v; want the queue's name, and why", err)
	}
	n.refuses = nil
	if err := q.Send(context.Background(), m); err != nil || len(n.messages) != 1 {
		t.Errorf("Send: %v, and the journal has %d messages", err, len(n.messages))
	}
}

func TestWhatIsTooOldLeavesTheJournalToo(t *testing.T) {
	t.Parallel()
	for _, fifo := range []bool{true, false} {
		n, c := newNotes(fifo), newClock()
		q := open(t, memory.Options{FIFO: fifo, Clock: c, Journal: n, Retention: time.Hour})
		out := []queue.Outgoing{{Body: "received"}, {Body: "left"}, {Body: "delayed", Delay: 10 * time.Minute}}
		for i := range out {
			if fifo {
				out[i].Group, out[i].Delay = "a", 0
			}
		}
		if err := q.Send(t.Context(), out...); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Receive(t.Context(), 1, 0); err != nil {
			t.Fatal(err)
		}
		c.Advance(2 * time.Hour)
		if counts := q.Counts(); counts != (memory.Counts{}) || len(n.messages) != 0 {
			t.Errorf("FIFO %t: left are %+v, and in the journal %d", fifo, counts, len(n.messages))
		}
	}
}
