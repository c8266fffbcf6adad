package queue

import (
	"context"
	"time"
)

// Queue is one SQS-like queue. It is implemented by packages sqs and memory, which both pass the test
// suite of package queuetest.
type Queue interface {
	// Send sends messages, in batches of the size that the service accepts. It returns nil only if all
	// were sent. It sends the entries that a batch reports as failed again, within the context's
	// deadline.
	//
	// Errors: an *InvalidMessageError, before anything is sent, for a delay out of range, a delay on a
	// FIFO queue, a FIFO message without a group or a body over MaxBody. ErrUnavailable (wrapped) for
	// throttling and temporary faults: some messages may have been sent; sending all of them again is
	// harmless with deduplication ids. If some are known to have been sent, a *PartialError names the
	// others. A *RejectedError, alone or in a *PartialError, for a message that the service never
	// accepts because of its size or its contents; the others of its batch were sent.
	Send(ctx context.Context, msgs ...Outgoing) error
	// Receive returns up to max (1 to 10) messages. It waits up to wait for the first, and returns none
	// if none arrives. On a FIFO queue, a group with a message in flight delivers no other. On a
	// standard queue, groups share the receivers: in memory they take turns, one message each, and
	// messages without a group form one group; SQS prefers quiet groups when one is noisy. If the
	// context ends, Receive returns its error.
	Receive(ctx context.Context, max int, wait time.Duration) ([]Message, error)
	// Delete acknowledges a received message. Deleting twice is not an error. It returns
	// ErrReceiptExpired if the service notices that the delivery is over: the message is redelivered,
	// or already was.
	Delete(ctx context.Context, m Message) error
	// SetVisibility makes received messages visible again after d (0 to MaxVisibility) from now, in
	// batches of the size that the service accepts. SQS refuses a time that is more than MaxVisibility
	// after the receipt. It returns ErrReceiptExpired like Delete. It tries each message; if it
	// succeeded for some, a *PartialError names the others.
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
	// MaxGroup is the most characters of a message group id and of a deduplication id.
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
	// Group is required on a FIFO queue, where its messages keep their order. On a standard queue it is
	// the key by which messages share the receivers, empty for none: see Queue.Receive.
	Group string
	// DedupID is used only on a FIFO queue. If it is empty, the hash of the content is used.
	DedupID string
	// Unordered is set if the message need not stay after the messages of its group that come
	// before it in the same Send, and may share a batch with them; if the batch fails partly, it
	// can be sent before them. FIFO only.
	Unordered bool
	// Delay, 0 to MaxDelay; standard queues only. A queue may round it up: SQS to whole seconds,
	// package memory not at all.
	Delay time.Duration
	// Attributes are string attributes; at most 10.
	Attributes map[string]string
}

// Message is a message received.
type Message struct {
	// ID that the service assigned; it is the same for all deliveries.
	ID      string
	Body    string
	Group   string
	DedupID string
	// ReceiveCount is 1 on the first delivery.
	ReceiveCount int
	SentAt       time.Time
	// ReceivedAt is when this delivery was received, by the clock of the service; its visibility
	// timeout counts from there. Zero if it is not known: SQS returns only when a message was first
	// received (ApproximateFirstReceiveTimestamp), which is known for a first delivery.
	ReceivedAt time.Time
	Attributes map[string]string
	// Sender is the sender as identified by the service: on SQS the SenderId, which for a role is its
	// unique id, ':' and the session name. Empty if it is not known.
	Sender string
	// Receipt identifies this delivery.
	Receipt string
}
