package memory

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/journal"
)

// DefaultVisibility is how long a message received stays invisible, as on SQS.
const DefaultVisibility = 30 * time.Second

// Options of a queue. The zero value is a standard queue on the wall clock
// without a dead-letter queue.
type Options struct {
	// Name is the first part of the message ids and stands in errors; default
	// "queue". Queues that exchange messages need different names.
	Name string
	// FIFO makes it a FIFO queue in high-throughput mode: deduplication is per
	// group.
	FIFO bool
	// Clock; default [clock.Wall].
	Clock clock.Clock
	// Visibility timeout of a message received; default DefaultVisibility, at
	// most queue.MaxVisibility.
	Visibility time.Duration
	// TotalVisibility: a message is in flight for queue.MaxVisibility at most from its
	// receipt on, and a timeout that would end later is refused, as SQS does
	// (API_ChangeMessageVisibility: "If you extend beyond the 12-hour limit, the request
	// will be rejected"). Otherwise MaxVisibility counts from each call, so that whoever
	// goes on calling keeps a message for as long as the work takes.
	TotalVisibility bool
	// DeadLetter gets a message that has been received MaxReceiveCount times
	// and comes back once more. It is a FIFO queue where this one is. Both are
	// set or neither.
	DeadLetter      *Queue
	MaxReceiveCount int
	// Retention is how long a message is kept, from when it was sent; 0: for
	// ever. What is older is deleted, in flight or not, and is no dead letter
	// (on SQS it is 4 days by default, at most 14). A message that went to a
	// dead-letter queue keeps its age there on a standard queue, and begins anew
	// on a FIFO queue:
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
	Retention time.Duration
	// MaxBytes is how many bytes a message has at most (queue.Outgoing.Size), as
	// MaximumMessageSize of a queue of SQS; a longer one is a *queue.RejectedError, and
	// the others of its Send are in. Default queue.MaxBody.
	MaxBytes int
	// Expired, if set, is told of each message that its retention has deleted.
	// It must not call the queue.
	Expired func(queue.Message)
	// Journal keeps the messages beyond the process; default: nobody does. Its
	// dead-letter queue has one as well then.
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
		errs = append(errs, fmt.Errorf("queue %q: messages of %d bytes at most are not within 1 and %d", o.Name, o.MaxBytes, queue.MaxBody))
	}
	if o.Visibility < 0 || o.Visibility > queue.MaxVisibility {
		errs = append(errs, fmt.Errorf("queue %q: visibility timeout %s is not within 0 and %s", o.Name, o.Visibility, queue.MaxVisibility))
	}
	if o.Retention < 0 {
		errs = append(errs, fmt.Errorf("queue %q: a retention of %s is none", o.Name, o.Retention))
	}
	if (o.DeadLetter == nil) != (o.MaxReceiveCount == 0) || o.MaxReceiveCount < 0 {
		errs = append(errs, fmt.Errorf("queue %q: a dead-letter queue and a maximum receive count (%d) of at least 1 go together", o.Name, o.MaxReceiveCount))
	}
	if o.DeadLetter != nil && o.DeadLetter.FIFO() != o.FIFO {
		errs = append(errs, fmt.Errorf("queue %q: its dead-letter queue %q has to be of the same kind, FIFO or standard", o.Name, o.DeadLetter.opts.Name))
	}
	return errors.Join(errs...)
}
