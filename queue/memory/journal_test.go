package memory_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/queue/memory"
)

// notes is a journal in two maps.
type notes struct {
	messages   map[int64]memory.Kept
	remembered []memory.Remembered
	last       int64
	refuses    error
	fifo       bool
}

func newNotes(fifo bool) *notes { return &notes{messages: map[int64]memory.Kept{}, fifo: fifo} }

func (n *notes) Load() (memory.Contents, error) {
	messages := slices.SortedFunc(maps.Values(n.messages), func(a, b memory.Kept) int { return cmp.Compare(a.Seq, b.Seq) })
	return memory.Contents{Messages: messages, Remembered: n.remembered, LastSeq: n.last}, n.refuses
}

func (n *notes) Ready() error { return n.refuses }

func (n *notes) Sent(m memory.Kept) {
	n.messages[m.Seq] = m
	n.last = m.Seq
	if n.fifo {
		n.remembered = append(n.remembered, memory.Remembered{Group: m.Group, DedupID: m.DedupID, MessageID: m.ID, Until: m.SentAt.Add(memory.DedupWindow)})
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
	if err := q.Send(t.Context(), m); !errors.Is(err, full) || q.Counts() != (memory.Counts{}) {
		t.Errorf("Send: %v, and the queue has %+v", err, q.Counts())
	}
	if _, err := memory.New(memory.Options{Name: "orders", FIFO: true, Journal: n}); !errors.Is(err, full) || !strings.Contains(err.Error(), "orders") {
		t.Errorf("New: %v; want the queue's name, and why", err)
	}
	n.refuses = nil
	if err := q.Send(context.Background(), m); err != nil || len(n.messages) != 1 {
		t.Errorf("Send: %v, and the journal has %d messages", err, len(n.messages))
	}
}
