package deadletter

import (
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Queues of a stack by their names.
type Queues map[string]queue.Queue

// Names of queues. DeadFIFO and Dead are those that dead letters stand in; the
// others are those that they go back to.
const (
	Orchestrator = "orchestrator"
	Delay        = "delay"
	Activity     = "activity"
	ActivityDead = "activity-dead"
	DeadFIFO     = "dead-fifo"
	Dead         = "dead"
)

// Final returns the names of the queues that dead letters stand in. DeadFIFO has
// what came by the orchestrator queue, Dead what came by the others.
func Final() []string { return []string{DeadFIFO, Dead} }

// Sources returns the names of the queues that a dead letter can go to.
func Sources() []string { return []string{Orchestrator, Delay, Activity, ActivityDead} }
