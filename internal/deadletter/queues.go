package deadletter

import (
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Queues are the queues of a stack by name.
type Queues map[string]queue.Queue

// Names of queues. DeadFIFO and Dead hold dead letters; the others are the queues to which they can be redriven.
const (
	Orchestrator = "orchestrator"
	Delay        = "delay"
	Activity     = "activity"
	ActivityDead = "activity-dead"
	DeadFIFO     = "dead-fifo"
	Dead         = "dead"
)

// Final returns the names of the queues that hold dead letters: DeadFIFO for messages of the orchestrator queue, Dead
// for messages of the other queues.
func Final() []string { return []string{DeadFIFO, Dead} }

// Sources returns the names of the queues to which a dead letter can be sent.
func Sources() []string { return []string{Orchestrator, Delay, Activity, ActivityDead} }
