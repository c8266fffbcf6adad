package journal

import "time"

// DedupWindow is how long a FIFO queue remembers a deduplication id, whether or not its
// message is still there.
const DedupWindow = 5 * time.Minute

// Queue keeps what a queue must not forget when its process ends. The queue calls it
// under its lock, for each change, in the order in which the changes happened. A
// method must not call the queue and should not wait: it only notes the change. The
// notes must become durable in that order, over all queues that share the database, so
// that a crash loses the last notes and no earlier ones: if the removal of a message
// was kept, everything that followed from the message was kept before.
type Queue interface {
	// Load returns what was kept. The queue calls it first, and once.
	Load() (Contents, error)
	// Ready refuses a Send with an error if nothing more can be kept for now; nil
	// otherwise. The error wraps ErrUnavailable if a later Send may succeed.
	Ready() error
	// Sent: a message has entered the queue, by Send or from the queue that it
	// was a dead letter of. A FIFO queue remembers its deduplication id for
	// DedupWindow from SentAt on.
	Sent(m Message)
	// Received: a message was received for the count-th time.
	Received(seq int64, count int)
	// Deleted: a message has left the queue.
	Deleted(seq int64)
}

// Message is a message as a Queue keeps it.
type Message struct {
	// Seq is its place in the order of sending, unique in its queue.
	Seq int64
	// ID stays the same over all deliveries.
	ID   string
	Body string
	// Group and DedupID are those it was sent with; empty for none.
	Group, DedupID string
	// ReceiveCount is how often it was received.
	ReceiveCount int
	SentAt       time.Time
	// Due is when a message that was sent with a delay becomes visible; zero for all others.
	// How long a message is in flight is not kept: only the process that loads the queue has
	// it, so the message is visible again at once.
	Due        time.Time
	Attributes map[string]string
	// Sender is the identity that the service gave the sender; empty for none.
	Sender string
}

// Contents is what a Queue has kept.
type Contents struct {
	// Messages in the order of Seq.
	Messages []Message
	// Remembered deduplication ids of a FIFO queue, the first to be forgotten
	// first.
	Remembered []Remembered
	// LastSeq is at least the greatest Seq that the queue has ever given.
	LastSeq int64
}

// Remembered is a deduplication id that a FIFO queue knows.
type Remembered struct {
	Group, DedupID string
	// MessageID of the message that was sent with it.
	MessageID string
	// Until when a message with that id is a duplicate.
	Until time.Time
}
