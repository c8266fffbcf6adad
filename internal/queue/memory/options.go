package memory

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/journal"
)

// DefaultVisibility is how long a received message stays invisible, as on SQS.
const DefaultVisibility = 30 * time.Second

// Options of a queue. The zero value is a standard queue on the wall clock
// without a dead-letter queue.
type Options struct {
	// Name is the first part of the message ids and is used in errors; default "queue". Queues that
	// exchange messages need different names.
	Name string
	// FIFO makes it a FIFO queue in high-throughput mode: deduplication is per
	// group.
	FIFO bool
	// Clock; default [clock.Wall].
	Clock clock.Clock
	// Visibility timeout of a received message; default DefaultVisibility, at most queue.MaxVisibility.
	Visibility time.Duration
	// TotalVisibility is set if a message is in flight for at most queue.MaxVisibility from its receipt, and
	// a timeout that would end later is refused, as by SQS (API_ChangeMessageVisibility: "If you extend
	// beyond the 12-hour limit, the request will be rejected"). Otherwise MaxVisibility counts from each
	// call, so a receiver that keeps calling keeps a message as long as its work takes.
	TotalVisibility bool
	// DeadLetter receives a message that has been received MaxReceiveCount times and becomes visible
	// once more. It is of the same kind as this queue, FIFO or standard. Both fields are set or
	// neither.
	DeadLetter      *Queue
	MaxReceiveCount int
	// Retention is how long a message is kept after it was sent; 0 means for ever. Older messages are
	// deleted, in flight or not, and do not become dead letters (on SQS it is 4 days by default, at
	// most 14). In a dead-letter queue a message keeps its age if the queue is a standard queue, and
	// starts again on a FIFO queue:
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
	Retention time.Duration
	// MaxBytes is the most bytes of a message (queue.Outgoing.Size), like MaximumMessageSize of an SQS
	// queue; a longer one is a *queue.RejectedError, and the others of its Send are sent. Default
	// queue.MaxBody.
	MaxBytes int
	// Expired, if set, is called for each message that was deleted because of its retention. It must
	// not call the queue.
	Expired func(queue.Message)
	// Journal stores the messages so that they survive the process; default none. If it is set, the
	// dead-letter queue needs one too.
	Journal journal.Queue
}

func (o *Options) complete() error {
	if o.Name == "" {
		o.Name = "queue"
	}
	if o.Clock == nil {
		o.Clock = clock.Wall{}
	}
	if o.Visibility == 0 {
		o.Visibility = DefaultVisibility
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = queue.MaxBody
	}
	var errs []error
	if o.MaxBytes < 0 || o.MaxBytes > queue.MaxBody {
		errs = append(errs, fmt.Errorf("queue %q: MaxBytes is %d: it must be from 1 to %d", o.Name, o.MaxBytes, queue.MaxBody))
	}
	if o.Visibility < 0 || o.Visibility > queue.MaxVisibility {
		errs = append(errs, fmt.Errorf("queue %q: visibility timeout is %s: it must be from 0 to %s", o.Name, o.Visibility, queue.MaxVisibility))
	}
	if o.Retention < 0 {
		errs = append(errs, fmt.Errorf("queue %q: retention is %s: it must not be negative", o.Name, o.Retention))
	}
	if (o.DeadLetter == nil) != (o.MaxReceiveCount == 0) || o.MaxReceiveCount < 0 {
		errs = append(errs, fmt.Errorf("queue %q: a dead-letter queue and a maximum receive count of at least 1 require each other; the count is %d", o.Name, o.MaxReceiveCount))
	}
	if o.DeadLetter != nil && o.DeadLetter.FIFO() != o.FIFO {
		errs = append(errs, fmt.Errorf("queue %q: its dead-letter queue %q must be of the same kind, FIFO or standard", o.Name, o.DeadLetter.opts.Name))
	}
	return errors.Join(errs...)
}
