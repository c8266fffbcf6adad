package engine

import "github.com/turnstile-go/turnstile/history"

// An arrival is known to the code if the history had it before the code ran for
// the arrival that is being visited. The events of a start, those that
// continue-as-new carried over, and what came while no code ran stand behind that
// arrival, each marked WithPrevious. Code that asks without waiting (EventKept,
// Future.Ready) gets what is known at once, ahead of its visit. Select and Await do
// not ask: for them order is history's (rule 6).
type knownEvents struct {
	// byName has the external events that are known and not yet delivered, oldest
	// first; nil until the code asks for one.
	byName map[string][]*history.Event
	// asked are those that were delivered ahead of their visit.
	asked map[int64]bool
	// asking: what the code asked for is being delivered.
	asking bool
}

// takes reports whether an event that is being visited is still to be delivered.
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

// deliverKnown delivers the oldest external event of a name that is known, and
// reports whether there was one.
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

// askFor delivers what completes an operation if that is known. It does nothing
// where a durable call would fail, for that code does not run on a replay, or may be
// taken out.
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
