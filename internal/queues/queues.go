// Package queues provides in-memory versions of the template's queues, with the same receive limits, for programs that
// run an application in one process.
package queues

import (
	"cmp"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/journal"
)

// Queues are the queues of the template.
type Queues struct {
	Orchestrator, Delay, Activity, ActivityDead *memory.Queue
	DeadFIFO, DeadStandard                      *memory.Queue
	// Named are the named activity queues, by name.
	Named map[string]*memory.Queue

	open func(memory.Options) (*memory.Queue, error)
}

// OfName returns the name of a named activity queue in journals and displays.
func OfName(name string) string { return "activity:" + name }

const (
	orchestratorReceives = 1000
	standardReceives     = 1000
	activityReceives     = 1000
	visibility           = 2 * time.Minute
	// The default of host.Settings.Attempt.QueueVisibility.
	activityVisibility = 16 * time.Minute
)

// New returns the queues on a clock, filled from their journals. journal, if not nil, returns the journal of the queue
// with a name; nil for none.
func New(c clock.Clock, journal func(name string) journal.Queue) (*Queues, error) {
	var errs []error
	q := &Queues{Named: map[string]*memory.Queue{}, open: func(o memory.Options) (*memory.Queue, error) {
		o.Clock = c
		o.Visibility = cmp.Or(o.Visibility, visibility)
		if journal != nil {
			o.Journal = journal(o.Name)
		}
		return memory.New(o)
	}}
	make := func(o memory.Options) *memory.Queue {
		opened, err := q.open(o)
		if err != nil {
			errs = append(errs, err)
		}
		return opened
	}
	q.DeadFIFO = make(memory.Options{Name: "dead-fifo", FIFO: true})
	q.DeadStandard = make(memory.Options{Name: "dead"})
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

// Add creates the activity queue with this name if it does not exist.
func (q *Queues) Add(name string) error {
	if q.Named[name] != nil {
		return nil
	}
	added, err := q.open(memory.Options{Name: OfName(name), Visibility: activityVisibility, DeadLetter: q.ActivityDead, MaxReceiveCount: activityReceives})
	if err == nil {
		q.Named[name] = added
	}
	return err
}

// Source is a queue that the host receives from, and its role.
type Source struct {
	Queue *memory.Queue
	Is    platform.Source
	// Name is the name of a named activity queue.
	Name string
}

// Sources returns the queues that the host receives from, without the named activity queues.
func (q *Queues) Sources() []Source {
	return []Source{
		{Queue: q.Orchestrator, Is: platform.SourceOrchestrator},
		{Queue: q.Delay, Is: platform.SourceDelay},
		{Queue: q.ActivityDead, Is: platform.SourceActivityDead},
		{Queue: q.Activity, Is: platform.SourceActivity},
	}
}

// Close closes all queues.
func (q *Queues) Close() {
	for _, queue := range []*memory.Queue{q.Orchestrator, q.Delay, q.Activity, q.ActivityDead, q.DeadFIFO, q.DeadStandard} {
		if queue != nil {
			queue.Close()
		}
	}
	for _, named := range q.Named {
		named.Close()
	}
}

// ForHost returns the queues for the host, each wrapped by wrap. final is true for the two from which the host does not
// receive.
func (q *Queues) ForHost(wrap func(q *memory.Queue, final bool) queue.Queue) platform.Queues {
	return platform.Queues{
		Orchestrator: wrap(q.Orchestrator, false), Delay: wrap(q.Delay, false),
		Activity: wrap(q.Activity, false), ActivityDead: wrap(q.ActivityDead, false),
		DeadFIFO: wrap(q.DeadFIFO, true), DeadStandard: wrap(q.DeadStandard, true),
	}
}
