package queue

import "time"

// DedupWindow is how long a deduplication id is remembered, whether or not its
// message is still there.
const DedupWindow = 5 * time.Minute

// Journal keeps what a queue must not forget when its process ends. It is told
// of each change under the queue's lock, in the order in which they happened:
// it must not call the queue and should not wait long, only note. Its notes must
// become durable in that order, over all queues that share it, so that whatever a
// crash loses is the end of the story: a message whose removal was kept had what
// followed from it kept before.
type Journal interface {
	// Load returns what was kept. The queue calls it first, and once.
	Load() (Contents, error)
	// Ready refuses a Send with an error where nothing more can be kept for
	// now; nil otherwise.
	Ready() error
	// Sent: a message has entered the queue, by Send or from the queue that it
	// was a dead letter of. A FIFO queue remembers its deduplication id for
	// DedupWindow from SentAt on.
	Sent(m Kept)
	// Received: a message was received, for the count-th time.
	Received(seq int64, count int)
	// Deleted: a message has left the queue.
	Deleted(seq int64)
}

// Kept is a message as a Journal keeps it.
type Kept struct {
	// Message without receipt.
	Message
	// Seq is its place in the order of sending, unique in its queue.
	Seq int64
	// Due is when a message that was sent with a delay becomes visible; zero for
	// all others. How long a message is in flight is not kept: the process that loads the
	// queue is the only one who has it, so the message is visible again at once.
	Due time.Time
}

// Contents is what a Journal has kept of a queue.
type Contents struct {
	// Messages in the order of Seq.
	Messages []Kept
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
