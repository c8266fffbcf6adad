package embedded

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue/memory"
)

// queues are those of the template, with its receive limits.
type queues struct {
	orchestrator, delay, activity, activityDead *memory.Queue
	deadFIFO, deadStandard                      *memory.Queue
}

const (
	orchestratorReceives = 100
	standardReceives     = 100
	activityReceives     = 10
	visibility           = 2 * time.Minute
)

func newQueues(clock Clock) (*queues, error) {
	var errs []error
	make := func(o memory.Options) *memory.Queue {
		o.Clock = clock
		o.Visibility = visibility
		q, err := memory.New(o)
		errs = append(errs, err)
		return q
	}
	q := &queues{
		deadFIFO:     make(memory.Options{Name: "dead-fifo", FIFO: true}),
		deadStandard: make(memory.Options{Name: "dead"}),
	}
	q.orchestrator = make(memory.Options{Name: "orchestrator", FIFO: true, DeadLetter: q.deadFIFO, MaxReceiveCount: orchestratorReceives})
	q.delay = make(memory.Options{Name: "delay", DeadLetter: q.deadStandard, MaxReceiveCount: standardReceives})
	q.activityDead = make(memory.Options{Name: "activity-dead", DeadLetter: q.deadStandard, MaxReceiveCount: standardReceives})
	q.activity = make(memory.Options{Name: "activity", DeadLetter: q.activityDead, MaxReceiveCount: activityReceives})
	return q, errors.Join(errs...)
}

// sources are those that are received from.
func (q *queues) sources() []source {
	return []source{
		{q.orchestrator, host.SourceOrchestrator},
		{q.delay, host.SourceDelay},
		{q.activityDead, host.SourceActivityDead},
		{q.activity, host.SourceActivity},
	}
}

func (q *queues) close() {
	for _, queue := range []*memory.Queue{q.orchestrator, q.delay, q.activity, q.activityDead, q.deadFIFO, q.deadStandard} {
		queue.Close()
	}
}

// forHost gives the host the queues; the final dead-letter queues tell of what
// it moves to them.
func (q *queues) forHost(dead func(DeadLetter)) host.Queues {
	return host.Queues{
		Orchestrator: q.orchestrator, Delay: q.delay, Activity: q.activity, ActivityDead: q.activityDead,
		DeadFIFO: watchedDeadLetters{q.deadFIFO, dead}, DeadStandard: watchedDeadLetters{q.deadStandard, dead},
	}
}
