package journal

import "time"

// DedupWindow is how long a FIFO queue remembers a deduplication id, even if its message is already
// deleted.
const DedupWindow = 5 * time.Minute

// Queue keeps the state of a queue that must outlive its process. The queue calls it under its
// lock, for each change, in the order of the changes. A method must not call the queue and should
// not block: it only records the change. The records must become durable in that order, across all
// queues that share the database, so that a crash loses only the last records: if the removal of a
// message was kept, everything that the message caused was kept earlier.
type Queue interface {
	// Load returns the kept state. The queue calls it once, before any other method.
	Load() (Contents, error)
	// Ready returns an error if no change can be kept at the moment; the queue then rejects the
	// Send. The error wraps [ErrUnavailable] if a later Send may succeed.
	Ready() error
	// Sent records that a message has entered the queue, by Send or as a dead letter of another
	// queue. A FIFO queue remembers the deduplication id of the message for DedupWindow from SentAt
	// on.
	Sent(m Message)
	// Received records that a message was received for the count-th time.
	Received(seq int64, count int)
	// Deleted records that a message has left the queue.
	Deleted(seq int64)
}

// Message is a message as a Queue keeps it.
type Message struct {
	// Seq is the position of the message in the order of sending, unique in its queue.
	Seq int64
	// ID is the same for all deliveries.
	ID   string
	Body string
	// Group and DedupID are the values with which the message was sent; empty for none.
	Group, DedupID string
	// ReceiveCount is the number of times that the message was received.
	ReceiveCount int
	SentAt       time.Time
	// Due is when a message that was sent with a delay becomes visible; zero for all others. How
	// long a received message stays invisible is not kept: only the process that loads the queue
	// can have received it, so the message is visible again immediately.
	Due        time.Time
	Attributes map[string]string
	// Sender is the identity that the service assigned to the sender; empty for none.
	Sender string
}

// Contents is the kept state of a Queue.
type Contents struct {
	// Messages are sorted by Seq.
	Messages []Message
	// Remembered are the deduplication ids of a FIFO queue, sorted by the time at which they
	// expire.
	Remembered []Remembered
	// LastSeq is at least the greatest Seq that the queue has ever assigned.
	LastSeq int64
}

// Remembered is a deduplication id that a FIFO queue remembers.
type Remembered struct {
	Group, DedupID string
	// MessageID is the ID of the message that was sent with this deduplication id.
	MessageID string
	// Until is the time until which a message with that id is a duplicate.
	Until time.Time
}
