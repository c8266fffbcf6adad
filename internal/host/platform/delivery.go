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

// Delivery is a message received.
type Delivery struct {
	queue.Message
	Source Source
}

// Queues are the queues that a handler sends to and receives from.
type Queues struct {
	// Orchestrator is the FIFO queue of the orchestrations.
	Orchestrator queue.Queue
	// Delay is standard; the orchestrator alone uses it.
	Delay queue.Queue
	// Activity is standard.
	Activity queue.Queue
	// Named returns the activity queue of a name, nil where no function serves it. It is
	// nil where no queue has a name.
	Named func(name string) queue.Queue
	// ActivityDead is the activity queue's dead-letter queue.
	ActivityDead queue.Queue
	// DeadFIFO and DeadStandard are the final dead-letter queues, which a worker
	// does not need.
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

// OfAttempts returns the activity queue of a name; the empty name is the default queue.
// Attempts for a queue that no function serves go round in the default queue.
func (q *Queues) OfAttempts(name string) queue.Queue {
	if name != "" && q.Named != nil {
		if named := q.Named(name); named != nil {
			return named
		}
	}
	return q.Activity
}

// Senders says which messages are refused for who sent them.
type Senders struct {
	// ActivityRole is the unique id of the activity function's role, as
	// queue.Message.Sender begins with it ("AROA…"): what it sends besides what
	// workers send becomes a dead letter. Empty: no sender is judged.
	ActivityRole string
	// ActivitiesMaySend lets it send starts and events too.
	ActivitiesMaySend bool
}
