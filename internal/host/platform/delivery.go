package platform

import (
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Source is the queue that a message came from.
type Source uint8

// The sources. The orchestrator's handler serves the first three, the
// worker's handler the last.
const (
	// SourceOrchestrator is the FIFO queue.
	SourceOrchestrator Source = iota
	// SourceDelay is the delay queue.
	SourceDelay
	// SourceActivityDead is the dead-letter queue of the activity queue.
	SourceActivityDead
	// SourceActivity is the activity queue.
	SourceActivity
)

// Delivery is a received message.
type Delivery struct {
	queue.Message
	Source Source
}

// Queues are the queues that a handler sends to and receives from.
type Queues struct {
	// Orchestrator is the FIFO queue of the orchestrations.
	Orchestrator queue.Queue
	// Delay is a standard queue; only the orchestrator uses it.
	Delay queue.Queue
	// Activity is a standard queue.
	Activity queue.Queue
	// Named returns the activity queue of a name; nil if no function serves it. Named itself is nil if
	// no queue has a name.
	Named func(name string) queue.Queue
	// ActivityDead is the activity queue's dead-letter queue.
	ActivityDead queue.Queue
	// DeadFIFO and DeadStandard are the final dead-letter queues. A worker does not need them.
	DeadFIFO, DeadStandard queue.Queue
}

// Of returns the queue that a message came from.
func (q *Queues) Of(s Source) queue.Queue {
	switch s {
	case SourceOrchestrator:
		return q.Orchestrator
	case SourceDelay:
		return q.Delay
	case SourceActivityDead:
		return q.ActivityDead
	}
	return q.Activity
}

// OfAttempts returns the activity queue of a name; the empty name is the default queue. Attempts
// for a queue that no function serves are requeued through the default queue.
func (q *Queues) OfAttempts(name string) queue.Queue {
	if name != "" && q.Named != nil {
		if named := q.Named(name); named != nil {
			return named
		}
	}
	return q.Activity
}

// Senders determines which messages are refused because of their sender.
type Senders struct {
	// ActivityRole is the unique id of the activity function's role, with which
	// queue.Message.Sender begins ("AROA…") for messages from that role. A message from that role
	// becomes a dead letter unless it is of a kind that workers send. If it is empty, no sender is
	// checked.
	ActivityRole string
	// ActivitiesMaySend also lets that role send starts and events.
	ActivitiesMaySend bool
}
