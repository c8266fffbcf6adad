package engine

import "github.com/turnstile-go/turnstile/history"

// While the code visits an arrival, a later arrival is known if it was already in the history when
// the code first ran for the visited arrival. Known arrivals follow that arrival, each marked
// WithPrevious: the events of a start, events that continue-as-new carried over, and arrivals that
// were recorded while no code ran. Calls that do not wait (EventKept, Future.Ready) deliver a known
// arrival at once, before its visit. Select and Await do not, because they follow the order of the
// history (rule 6).
type knownEvents struct {
	// byName has the known external events that are not yet delivered, oldest first; nil
	// until the code asks for one.
	byName map[string][]*history.Event
	// asked holds the events that were delivered before their visit.
	asked map[int64]bool
	// asking is set while an arrival that the code asked for is being delivered.
	asking bool
}

// takes reports whether an event being visited still has to be delivered.
func (k *knownEvents) takes(e *history.Event) bool {
	if k.asked[e.EventID] {
		delete(k.asked, e.EventID)
		return false
	}
	if list := k.byName[e.Name]; len(list) > 0 {
		k.byName[e.Name] = list[1:]
	}
	return true
}

// deliverKnown delivers the oldest known external event with this name, and reports
// whether there was one.
func (x *Execution) deliverKnown(name string) (bool, error) {
	k, visiting := &x.known, int(x.cursor.visiting)
	if k.byName == nil && visiting < x.cursor.known {
		k.byName = make(map[string][]*history.Event)
		for i := visiting; i < x.cursor.known; i++ {
			if e := x.events.at(i); e.Kind == history.ExternalEvent {
				k.byName[e.Name] = append(k.byName[e.Name], e)
			}
		}
	}
	list := k.byName[name]
	if len(list) == 0 {
		return false, nil
	}
	e := list[0]
	k.byName[name] = list[1:]
	if k.asked == nil {
		k.asked = make(map[int64]bool)
	}
	k.asked[e.EventID], k.asking = true, true
	stuck := x.deliverExternal(e)
	k.asking = false
	if stuck != nil {
		return true, x.giveUp(stuck)
	}
	return true, nil
}

// askFor delivers the completion of an operation if it is known. It does nothing where a durable
// call would fail, because the calling code does not run in a replay, or may be removed.
func (x *Execution) askFor(f *Future) {
	visiting, known := x.cursor.visiting, int64(x.cursor.known)
	if f.state != open || f.id == 0 || visiting >= known || x.current.unwinding || x.nested != "" || x.intercepted != "" || x.closed.Load() {
		return
	}
	if f.kind == history.ExternalSubscribed {
		for f.state == open {
			if more, err := x.deliverKnown(f.name); !more || err != nil {
				return
			}
		}
		return
	}
	if by := x.ledger.entries.at(int(f.id - 1)).completed; visiting < by && by <= known {
		x.known.asking = true
		x.deliverCompletion(x.events.at(int(by - 1)))
		x.known.asking = false
	}
}
