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

// In a run with the bias namedQueues, activities name queues, and each queue has its own workers.
// A deployment adds a queue, and a later one may remove it for some time: a process knows the
// queues that existed when it started. In addition, the event source of a queue may stop, and its
// workers may lose access to a service.

// serving is how a named queue is served.
type serving struct {
	// there is set if a process that starts now knows the queue.
	there bool
	// paused counts the reasons why no process receives from the queue.
	paused int
	// slots is the maximum number of workers.
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

// servers selects the processes that receive from the queue: its own workers, or the orchestrators
// for nil.
func (q *Queue) servers() *Queue {
	if q.isActivities() {
		return q
	}
	return nil
}

// slotsOf returns the maximum number of processes of a queue, or of orchestrators.
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

// names gives the process the existing queues, by name.
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

// planQueues plans the events of named queues.
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

// rollout decides how long it takes to replace all processes.
func (w *World) rollout(at choice.Spot) time.Duration {
	return time.Duration(w.Choices.IntN(at, 300)) * time.Second
}

// troubles stops serving a queue for minutes or hours.
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

// deployQueue adds a queue, or removes it with its event source; its messages stay. Processes that
// were started before are replaced within the time.
func (w *World) deployQueue(q *Queue, there bool, within time.Duration) {
	if w.calm || q.there == there {
		return
	}
	q.there = there
	w.Log("DEPLOY: queue %s is there: %t", q.Of, there)
	w.configures(within)
}

// configures replaces all processes: the idle ones within the time, the others after their
// invocation.
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

// isOutdated reports whether a process should be replaced because it knows an old configuration of
// queues.
func (w *World) isOutdated(p *Process) bool {
	return p.configured != w.configured && !w.Clock.Now().Before(w.configuredBy)
}

// servesAll makes all queues served again, when the faults have stopped.
func (w *World) servesAll() {
	if len(w.Named) == 0 {
		return
	}
	for _, q := range w.Named {
		q.there, q.paused = true, 0
	}
	w.configures(0)
}

// handsOut receives from a queue, and passes the order of the messages to the watcher.
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

// WorksAmongOthers decides how long an activity takes in a run with named queues, so that attempts
// wait for workers.
func (p *Process) WorksAmongOthers(instance string) time.Duration {
	if !p.W.has(namedQueues) || p.Worker == nil {
		return 0
	}
	d := time.Duration(p.W.Choices.IntN(p.W.Choices.At(p.W.Choices.At(choice.OfDelivery, "queues"), instance), 20)) * time.Second
	if p.W.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // It would run out of time.
	}
	return d
}
