package queue

import (
	"context"
	"time"
)

// Queue is one SQS-like queue. Its implementations are in
// internal/queue: sqs, memory, and queuetest, the suite that both pass.
type Queue interface {
	// Send sends messages, in batches as the service takes them. It returns
	// nil only when all are in; entries that a batch reports as failed are
	// sent again, exactly those, within the context's deadline.
	//
	// *InvalidMessageError, before anything is sent, for a delay out of range,
	// a delay on a FIFO queue, a FIFO message without group or a body over
	// MaxBody. ErrUnavailable (wrapped) for throttling and passing faults:
	// some may be in; sending all of them again is harmless with
	// deduplication ids. Where some are known to be in, a *PartialError names
	// the others. A *RejectedError, in a *PartialError or alone, for a message that
	// the service takes at no time, because of its size or its contents; the others of its
	// batch are in.
	Send(ctx context.Context, msgs ...Outgoing) error
	// Receive returns up to max (1 to 10) messages; it waits up to wait for
	// the first, and returns none when there are none by then. On a FIFO queue
	// a group with a message in flight gives none. On a standard queue groups share the
	// receivers: in memory they take turns, a message each, and messages without a group
	// are one group; SQS prefers quiet groups once one is noisy. A context that ends is
	// its error.
	Receive(ctx context.Context, max int, wait time.Duration) ([]Message, error)
	// Delete acknowledges a received message. Deleting twice is not an error.
	// ErrReceiptExpired where the service notices that the delivery is over:
	// the message comes again, or has.
	Delete(ctx context.Context, m Message) error
	// SetVisibility lets received messages come back after d (0 to
	// MaxVisibility), counted from now; in batches as the service takes them. SQS
	// refuses it where that is more than MaxVisibility after the receipt.
	// ErrReceiptExpired as with Delete. Each message is tried; where it worked
	// for some, a *PartialError names the others.
	SetVisibility(ctx context.Context, d time.Duration, msgs ...Message) error
	// FIFO reports whether the queue is a FIFO queue.
	FIFO() bool
}

// Limits of SQS.
const (
	// MaxDelay of a message: 15 minutes.
	MaxDelay = 900 * time.Second
	// MaxBody in bytes, attributes included: 1 MiB since 2025.
	MaxBody = 1 << 20
	// MaxGroup is the length of a message group id, and of a deduplication
	// id.
	MaxGroup = 128
	// MaxVisibility of a message in flight: 12 hours.
	MaxVisibility = 12 * time.Hour
	// MaxReceive is how many messages one Receive returns at most.
	MaxReceive = 10
	// MaxAttributes of a message.
	MaxAttributes = 10
)

// Outgoing is a message to send.
type Outgoing struct {
	Body string
	// Group: on a FIFO queue its messages keep their order, one needs it. On a standard
	// queue it is the key by which messages share the receivers, empty for none: see
	// Queue.Receive.
	Group string
	// DedupID: FIFO only, left out on a standard queue. Without it the content's hash is
	// taken.
	DedupID string
	// Unordered: it need not stay after messages of its group that stand before
	// of it in the same Send, and may share a batch with them: if the batch
	// fails in part, it can be in before them. FIFO only.
	Unordered bool
	// Delay, 0 to MaxDelay: standard queues only. A queue may round it up to its
	// grain: SQS to whole seconds, one in memory not at all.
	Delay time.Duration
	// Attributes are string attributes; at most 10.
	Attributes map[string]string
}

// Message is a message received.
type Message struct {
	// ID that the service gave it; it stays over redeliveries.
	ID      string
	Body    string
	Group   string
	DedupID string
	// ReceiveCount is 1 on the first delivery.
	ReceiveCount int
	SentAt       time.Time
	// ReceivedAt is when this delivery was received, by the clock of the service: its
	// visibility counts from there. Zero where it is not known: SQS tells when a message
	// was received first (ApproximateFirstReceiveTimestamp), which says it of a first
	// delivery alone.
	ReceivedAt time.Time
	Attributes map[string]string
	// Sender is who sent it, as the service alone can say: on SQS the
	// SenderId, for a role its unique id, ':' and the name of the session. Empty
	// where it is not known.
	Sender string
	// Receipt addresses this delivery.
	Receipt string
}
