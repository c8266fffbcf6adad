package engine

import (
	"slices"
	"sort"

	"github.com/turnstile-go/turnstile/history"
)

// externalEvents implements rule 7: external events match waits by name, first in first
// out, and are kept if they arrive before a wait. Each is consumed once.
type externalEvents struct {
	byName map[string]*eventName
	// taken are waits that took an event, including all waits whose result the code has not
	// received. The list is pruned when it has pruneAt waits.
	taken   []*Future
	pruneAt int
}

type eventName struct {
	kept  []*history.Event // not matched yet, oldest first
	waits []*Future        // in the order of scheduling; some may be cancelled
	gone  int              // number of cancelled waits among them
	// accepts are the acceptors of the waits that may reject an event; nil if there are none.
	accepts map[*Future]Acceptor
}

func (x *Execution) eventName(name string) *eventName {
	if x.external.byName == nil {
		x.external.byName = make(map[string]*eventName)
	}
	n := x.external.byName[name]
	if n == nil {
		n = &eventName{}
		x.external.byName[name] = n
	}
	return n
}

// deliverExternal gives the event to the wait that was scheduled first, whatever the
// order of awaiting, or keeps it. If the wait rejects the event, the wait continues and
// the event is consumed.
func (x *Execution) deliverExternal(e *history.Event) *StuckError {
	n := x.eventName(e.Name)
	if h := x.updates[e.Name]; h != nil {
		if decided, stuck := x.decide(h, e); decided || stuck != nil {
			return stuck
		}
	}
	for len(n.waits) > 0 {
		wait := n.waits[0]
		if wait.state != open {
			n.waits = n.waits[1:]
			n.gone--
			continue // cancelled: it no longer takes events
		}
		rejected, stuck := x.rejects(n.accepts[wait], e)
		if stuck != nil {
			return stuck
		}
		if rejected {
			return nil
		}
		n.waits = n.waits[1:]
		delete(n.accepts, wait)
		if x.strictAllows(wait, e) {
			x.takeEvent(wait, e)
		}
		return nil
	}
	n.kept = append(n.kept, e)
	return nil
}

// EventKept reports whether an external event with this name is kept, or already known, for the
// wait that ExternalEventIf would start. It records only the rejections of events that the wait
// would reject, because the history determines the answer.
func (c *Context) EventKept(name string, accepts Acceptor) (bool, error) {
	if _, err := c.x.enter("EventKept", name); err != nil {
		return false, err
	}
	for n := c.x.eventName(name); ; {
		if err := c.x.rejectKept(n, accepts); err != nil {
			return false, err
		}
		if len(n.kept) > 0 {
			return true, nil
		}
		if known, err := c.x.deliverKnown(name); !known || err != nil {
			return false, err
		}
	}
}

// waitExternal gives a new wait the oldest kept event of its name that it does not
// reject, or registers the wait.
func (x *Execution) waitExternal(wait *Future, accepts Acceptor) {
	n := x.eventName(wait.name)
	if err := x.rejectKept(n, accepts); err != nil {
		wait.resolve(nil, err)
		return
	}
	if len(n.kept) > 0 {
		e := n.kept[0]
		n.kept = n.kept[1:]
		x.takeEvent(wait, e)
		return
	}
	n.waits = append(n.waits, wait)
	if accepts != nil {
		if n.accepts == nil {
			n.accepts = make(map[*Future]Acceptor)
		}
		n.accepts[wait] = accepts
	}
}

// rejectKept rejects the oldest kept events of a name until one is accepted.
func (x *Execution) rejectKept(n *eventName, accepts Acceptor) error {
	for len(n.kept) > 0 {
		rejected, stuck := x.rejects(accepts, n.kept[0])
		if stuck != nil {
			return x.giveUp(stuck)
		}
		if !rejected {
			return nil
		}
		n.kept = n.kept[1:]
	}
	return nil
}

// forgetWait drops cancelled waits when they are half of all waits, so that the memory of a loop
// that waits with timeouts does not grow.
func (x *Execution) forgetWait(wait *Future) {
	n := x.eventName(wait.name)
	delete(n.accepts, wait)
	if n.gone++; 2*n.gone < len(n.waits) {
		return
	}
	n.waits = slices.DeleteFunc(n.waits, func(w *Future) bool { return w.state != open })
	n.gone = 0
}

// takeEvent makes a wait ready with an event.
func (x *Execution) takeEvent(wait *Future, e *history.Event) {
	wait.took = e.EventID
	wait.resolve(e.Payload, nil)
	taken := &x.external.taken
	if len(*taken) >= x.external.pruneAt {
		*taken = slices.DeleteFunc(*taken, func(w *Future) bool { return w.given })
		x.external.pruneAt = 2*len(*taken) + 8
	}
	*taken = append(*taken, wait)
}

// unconsumed returns, in order of arrival, all events that are kept or were taken by a
// wait whose result the code has not received.
func (x *Execution) unconsumed() []history.Event {
	var all []history.Event
	for _, wait := range x.external.taken {
		if !wait.given {
			all = append(all, *x.events.at(int(wait.took) - 1))
		}
	}
	for _, n := range x.external.byName {
		for _, e := range n.kept {
			all = append(all, *e)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].EventID < all[j].EventID })
	return all
}
