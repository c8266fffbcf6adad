package world

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// service is what an outage affects.
type service int

const (
	anyService      service = iota
	theStore                // the tables of records and histories
	theActivities           // the table of activities
	theQueues               // sending, changing visibility and, if it affects all processes, receiving
	theTimerService         // creating and removing schedules
	theBus                  // accepting events about instances
)

var serviceNames = [...]string{"every service", "the store", "the activities table", "the queues", "the timer service", "the bus"}

// role says which processes an outage affects: all processes, or one function that has lost its
// permissions.
type role int

const (
	everybody role = iota
	orchestrators
	workers
)

var roleNames = [...]string{"everybody", "the orchestrators", "the workers"}

// outage is a time in which each call to a service is refused and has no effect.
type outage struct {
	service service
	role    role
	// of is the queue whose workers alone are affected; nil if all processes of the role are.
	of    *Queue
	until time.Time
	// hangs is set if calls are not refused but get no answer. Only for the bus.
	hangs bool
}

// longestOutage is the longest outage: reliability.md promises that none shorter than seven
// days costs more than time.
const longestOutage = 6 * 24 * time.Hour

// planOutages plans outages in a run that has the bias.
func (w *World) planOutages() {
	w.planBusOutages()
	if !w.has(outages) {
		return
	}
	how := w.How(fault.Outage)
	for range 1 + w.Choices.IntN(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 90*60))*time.Second, func() {
			if !w.calm {
				w.faulted(fault.Outage)
				w.startOutage()
			}
		})
	}
}

// startOutage starts an outage: mostly of minutes, sometimes of hours or days. Faults do
// not stop before it ends.
func (w *World) startOutage() {
	how := w.How(fault.Outage)
	w.startOutageOf(outage{service: theStore + service(w.Choices.IntN(how, 4)), role: role(w.Choices.IntN(how, 3))})
}

func (w *World) startOutageOf(o outage) {
	how := w.How(fault.Outage)
	d := time.Duration(1+w.Choices.IntN(how, 19)) * time.Minute
	switch w.Choices.IntN(how, 8) {
	case 5, 6:
		d *= 20
	case 7:
		d = time.Duration(1+w.Choices.IntN(how, int(longestOutage/time.Hour))) * time.Hour
	}
	o.until = w.Clock.Now().Add(d)
	w.Log("OUTAGE of %s for %s, %s", serviceNames[o.service], roleNames[o.role], d)
	w.outages = append(w.outages, o)
	w.Clock.AfterFunc(d, func() { w.Log("OUTAGE of %s for %s is over", serviceNames[o.service], roleNames[o.role]) })
	if end := o.until.Add(10 * time.Minute); end.After(w.plan.until) {
		w.plan.until = end
	}
	w.plan.left = max(w.plan.left, 3)
}

// refuses reports whether an outage refuses a call to a service.
func (w *World) refuses(s service, p *Process) bool {
	if len(w.outages) == 0 || w.calm {
		return false
	}
	for i := range w.outages {
		o := &w.outages[i]
		if w.Clock.Now().Before(o.until) && o.service == s && (o.role == everybody || p != nil && (o.role == workers) == (p.Worker != nil)) && (o.of == nil || o.of == p.Serves) {
			return true
		}
	}
	return false
}

// noneReceives reports whether the queues are down for every process, so that no process can
// receive.
func (w *World) noneReceives() bool {
	for i := range w.outages {
		o := &w.outages[i]
		if !w.calm && o.service == theQueues && o.role == everybody && w.Clock.Now().Before(o.until) {
			return true
		}
	}
	return false
}

// queuesAreBack returns when the queues accept messages from all processes again.
func (w *World) queuesAreBack() (at time.Time) {
	for i := range w.outages {
		if o := &w.outages[i]; !w.calm && o.service == theQueues && o.role == everybody && o.until.After(at) {
			at = o.until
		}
	}
	return at
}

// untilQueuesAreBack returns how long someone outside the host waits before the next
// attempt while the queues are down for all processes; not positive while they are up.
func (w *World) untilQueuesAreBack() time.Duration {
	wait := w.queuesAreBack().Sub(w.Clock.Now())
	if wait > 0 {
		wait += time.Duration(w.Choices.IntN(w.Choices.At(w.How(fault.Outage), "again"), 60)) * time.Second
	}
	return wait
}
