package memory

import (
	"container/heap"
	"container/list"
	"maps"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

type state int

const (
	visible state = iota
	inFlight
	delayed
)

type message struct {
	id         string
	body       string
	group      *group // nil on a standard queue
	fair       string // its group on a standard queue
	dedupID    string
	attributes map[string]string
	sender     string
	sentAt     time.Time

	// seq is the order of sending: a message that becomes visible again in its FIFO group returns to
	// its old position.
	seq      int64
	state    state
	received int
	// receivedAt is when it was last received; zero if that was before its queue was opened.
	receivedAt time.Time

	// due is when a message in flight or delayed becomes visible; index is its position in the heap of
	// those.
	due   time.Time
	index int
	// element is its position among the visible messages of its share on a standard queue.
	element *list.Element
}

// receipt identifies the latest delivery.
func (m *message) receipt() string { return m.id + "#" + strconv.Itoa(m.received) }

// view returns the message as a receiver sees it.
func (m *message) view() queue.Message {
	v := m.seen()
	if m.received > 0 {
		v.Receipt, v.ReceivedAt = m.receipt(), m.receivedAt
	}
	return v
}

// seen returns the message as it looks without being received.
func (m *message) seen() queue.Message {
	v := queue.Message{
		ID:           m.id,
		Body:         m.body,
		DedupID:      m.dedupID,
		ReceiveCount: m.received,
		SentAt:       m.sentAt,
		Sender:       m.sender,
		Attributes:   maps.Clone(m.attributes),
	}
	if m.group != nil {
		v.Group = m.group.id
	} else {
		v.Group = m.fair
	}
	return v
}

// dueHeap holds the messages in flight or delayed, earliest first; messages that are due at the same
// time are in the order of sending.
type dueHeap []*message

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].seq < h[j].seq
}
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *dueHeap) Push(x any) {
	m := x.(*message)
	m.index = len(*h)
	*h = append(*h, m)
}
func (h *dueHeap) Pop() any {
	old := *h
	m := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return m
}

func (h *dueHeap) add(m *message)    { heap.Push(h, m) }
func (h *dueHeap) remove(m *message) { heap.Remove(h, m.index) }
