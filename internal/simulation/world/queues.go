package world

import (
	"context"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
)

// In a run with the bias queues, activities name queues. Each has workers of its own. A
// deployment adds it, and another one may take it away for some time: a process knows the
// queues that were there when it was started. Besides, its event source may stand still, and its
// workers may lose a service.

// serving is how a queue that has a name is served.
type serving struct {
	// there: a process that starts knows the queue.
	there bool
	// paused counts the reasons why no process receives from it.
	paused int
	// slots is how many workers it has at most.
	slots int
}

// openNamed opens the queues that programs of the run may name.
func (w *World) openNamed() {
	if !w.has(namedQueues) {
		return
	}
	for _, name := range program.Queues() {
		q := w.newQueue(queuememory.Options{Name: "activity:" + name, Visibility: visibilityOfActivities, DeadLetter: w.ActivityDead.Queue, MaxReceiveCount: 1000})
		q.Of, q.serving = name, &serving{there: true, slots: 1 + w.Choices.IntN(w.Choices.At(choice.OfWorld, "workers of "+name), 2)}
		w.Named = append(w.Named, q)
	}
	w.Sources = append(w.Sources, w.Named...)
}

// NamesQueues reports whether activities of the run name queues.
func (w *World) NamesQueues() bool { return w.has(namedQueues) }

// isActivities reports whether workers receive from a queue.
func (q *Queue) isActivities() bool { return q == q.w.Activity || q.Of != "" }

// servers are the processes that receive from the queue: its own workers, or, for
// nil, the orchestrators.
func (q *Queue) servers() *Queue {
	if q.isActivities() {
		return q
	}
	return nil
}

// slotsOf is how many processes a queue has, or the orchestrators.
func (w *World) slotsOf(serves *Queue) int {
	if serves != nil && serves.serving != nil {
		return serves.slots
	}
	return w.slots
}

// standsStill reports whether no process receives from a queue.
func (q *Queue) standsStill() bool {
	return q.serving != nil && (!q.there || q.paused > 0)
}

// Knows reports whether the process knows the queue of this name.
func (p *Process) Knows(name string) bool { return slices.Contains(p.queues, name) }

// names gives the process the queues that are there, by their names.
func (p *Process) names() func(name string) queue.Queue {
	if len(p.W.Named) == 0 {
		return nil
	}
	for _, q := range p.W.Named {
		if q.there {
			p.queues = append(p.queues, q.Of)
		}
	}
	p.configured = p.W.configured
	return func(name string) queue.Queue {
		if name == "default" {
			return processQueue{p.W.Activity, p}
		}
		for _, q := range p.W.Named {
			if q.Of == name && p.Knows(name) {
				return processQueue{q, p}
			}
		}
		return nil
	}
}

// planQueues lets things happen to the queues that have a name.
func (w *World) planQueues() {
	for _, q := range w.Named {
		at := w.Choices.At(choice.OfWorld, "queue "+q.Of)
		if w.Choices.OneIn(at, 3) {
			q.there = false
			w.Log("queue %s is not there yet", q.Of)
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 3600))*time.Second, func() { w.deployQueue(q, true, w.rollout(at)) })
		}
		for range w.Choices.IntN(at, 3) {
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 90*60))*time.Second, func() {
				if !w.calm {
					w.troubles(q, at)
				}
			})
		}
	}
}

// rollout is how long it takes to replace all processes.
func (w *World) rollout(at choice.Spot) time.Duration {
	return time.Duration(w.Choices.IntN(at, 300)) * time.Second
}

// troubles has a queue not served for minutes, or hours.
func (w *World) troubles(q *Queue, at choice.Spot) {
	d := time.Duration(1+w.Choices.IntN(at, 19)) * time.Minute
	if w.Choices.OneIn(at, 4) {
		d *= 20
	}
	end := w.Clock.Now().Add(d)
	switch w.Choices.IntN(at, 3) {
	case 0:
		w.Log("the event source of queue %s stands still for %s", q.Of, d)
		q.paused++
		w.Clock.AfterFunc(d, func() {
			if !w.calm {
				q.paused--
			}
		})
	case 1:
		w.deployQueue(q, false, w.rollout(at))
		w.Clock.AfterFunc(d, func() { w.deployQueue(q, true, w.rollout(at)) })
	case 2:
		o := outage{service: theStore + service(w.Choices.IntN(at, int(theQueues-theStore)+1)), role: workers, of: q, until: end}
		w.Log("OUTAGE of %s for the workers of queue %s, %s", serviceNames[o.service], q.Of, d)
		w.outages = append(w.outages, o)
	}
	if end = end.Add(10 * time.Minute); end.After(w.plan.until) {
		w.plan.until = end
	}
	w.plan.left = max(w.plan.left, 3)
}

// deployQueue adds a queue, or takes it away with its event source: what is in it stays. Processes
// that were started before are replaced within the time.
func (w *World) deployQueue(q *Queue, there bool, within time.Duration) {
	if w.calm || q.there == there {
		return
	}
	q.there = there
	w.Log("DEPLOY: queue %s is there: %t", q.Of, there)
	w.configures(within)
}

// configures replaces all processes: the idle ones within the time, the others when their
// invocation is over.
func (w *World) configures(within time.Duration) {
	w.configured++
	w.configuredBy = w.Clock.Now().Add(within)
	w.Clock.AfterFunc(within, func() {
		for _, p := range slices.Clone(w.Processes) {
			if p.Running == nil && w.isOutdated(p) {
				w.bury(p)
			}
		}
	})
}

// isOutdated reports whether a process is to be replaced because of other queues than it knows.
func (w *World) isOutdated(p *Process) bool {
	return p.configured != w.configured && !w.Clock.Now().Before(w.configuredBy)
}

// servesAll has all queues served, from when the faults have stopped.
func (w *World) servesAll() {
	if len(w.Named) == 0 {
		return
	}
	for _, q := range w.Named {
		q.there, q.paused = true, 0
	}
	w.configures(0)
}

// handsOut receives from a queue, and has it looked at in which order.
func (w *World) handsOut(from *Queue, n int) ([]queue.Message, error) {
	if len(w.Named) == 0 || !from.isActivities() {
		return from.Queue.Receive(context.Background(), n, 0)
	}
	var visible []queue.Message
	for _, h := range from.Snapshot() {
		if h.Visible {
			visible = append(visible, h.Message)
		}
	}
	msgs, err := from.Queue.Receive(context.Background(), n, 0)
	w.Watch.HandsOut(from, visible, msgs)
	return msgs, err
}

// WorksAmongOthers is how long an activity takes in a run with queues that have names, so that
// attempts wait for workers.
func (p *Process) WorksAmongOthers(instance string) time.Duration {
	if !p.W.has(namedQueues) || p.Worker == nil {
		return 0
	}
	d := time.Duration(p.W.Choices.IntN(p.W.Choices.At(p.W.Choices.At(choice.OfDelivery, "queues"), instance), 20)) * time.Second
	if p.W.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // It would be out of time.
	}
	return d
}
