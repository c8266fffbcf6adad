// Package queues is the queues of the template in memory, with its receive
// limits, for what runs an application in one process.
package queues

import (
	"cmp"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/queue"
)

// Queues are those of the template.
type Queues struct {
	Orchestrator, Delay, Activity, ActivityDead *memory.Queue
	DeadFIFO, DeadStandard                      *memory.Queue
}

const (
	orchestratorReceives = 1000
	standardReceives     = 1000
	activityReceives     = 1000
	visibility           = 2 * time.Minute
	// The default of host.Settings.Attempt.QueueVisibility.
	activityVisibility = 16 * time.Minute
)

// New returns the queues on a clock: empty, or with what their journals keep.
// journal, unless nil, returns the one of the queue of a name; nil for none.
func New(c clock.Clock, journal func(name string) queue.Journal) (*Queues, error) {
	var errs []error
	make := func(o memory.Options) *memory.Queue {
		o.Clock = c
		o.Visibility = cmp.Or(o.Visibility, visibility)
		if journal != nil {
			o.Journal = journal(o.Name)
		}
		q, err := memory.New(o)
		if err != nil {
			errs = append(errs, err)
		}
		return q
	}
	q := &Queues{
		DeadFIFO:     make(memory.Options{Name: "dead-fifo", FIFO: true}),
		DeadStandard: make(memory.Options{Name: "dead"}),
	}
	q.Orchestrator = make(memory.Options{Name: "orchestrator", FIFO: true, DeadLetter: q.DeadFIFO, MaxReceiveCount: orchestratorReceives})
	q.Delay = make(memory.Options{Name: "delay", DeadLetter: q.DeadStandard, MaxReceiveCount: standardReceives})
	q.ActivityDead = make(memory.Options{Name: "activity-dead", DeadLetter: q.DeadStandard, MaxReceiveCount: standardReceives})
	q.Activity = make(memory.Options{Name: "activity", Visibility: activityVisibility, DeadLetter: q.ActivityDead, MaxReceiveCount: activityReceives})
	if err := errors.Join(errs...); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// Source is a queue that is received from, and what it is to the host.
type Source struct {
	Queue *memory.Queue
	Is    platform.Source
}

// Sources are those that are received from.
func (q *Queues) Sources() []Source {
	return []Source{
		{q.Orchestrator, platform.SourceOrchestrator},
		{q.Delay, platform.SourceDelay},
		{q.ActivityDead, platform.SourceActivityDead},
		{q.Activity, platform.SourceActivity},
	}
}

// Close closes all of them.
func (q *Queues) Close() {
	for _, queue := range []*memory.Queue{q.Orchestrator, q.Delay, q.Activity, q.ActivityDead, q.DeadFIFO, q.DeadStandard} {
		if queue != nil {
			queue.Close()
		}
	}
}

// ForHost gives the host the queues, each as wrap returns it. final marks the
// two from which nothing is received.
func (q *Queues) ForHost(wrap func(q *memory.Queue, final bool) queue.Queue) platform.Queues {
	return platform.Queues{
		Orchestrator: wrap(q.Orchestrator, false), Delay: wrap(q.Delay, false),
		Activity: wrap(q.Activity, false), ActivityDead: wrap(q.ActivityDead, false),
		DeadFIFO: wrap(q.DeadFIFO, true), DeadStandard: wrap(q.DeadStandard, true),
	}
}
