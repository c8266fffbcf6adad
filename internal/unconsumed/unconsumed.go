// Package unconsumed finds the external events of an execution that no wait has received, and the updates that the code
// has not answered. The client reads the turns for it; the console has them already.
package unconsumed

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Event has the fields of client.UnconsumedEvent, which documents them.
type Event struct {
	EventID         int64
	Name            string
	At              time.Time
	Actor, SenderID string
	RejectedBy      int64
	Reason          string
}

// Of returns the external events that no wait has received, given all turns of an execution. By rule 7 of the design,
// waits receive the events of a name in order, so the last ones remain.
func Of(turns []store.Turn) []Event {
	waits := map[string]int{} // by name, without cancelled ones
	cancelled := map[int64]bool{}
	rejected := map[int64]*history.Event{}
	for i := range turns {
		for _, id := range turns[i].Cancelled {
			cancelled[id] = true
		}
	}
	for i := range turns {
		for j := range turns[i].Events {
			switch e := &turns[i].Events[j]; e.Kind {
			case history.ExternalSubscribed:
				if !cancelled[e.EventID] {
					waits[e.Name]++
				}
			case history.ExternalRejected:
				rejected[e.SourceEventID] = e
			}
		}
	}
	var left []Event
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			if _, update := e.Update(); update || e.Kind != history.ExternalEvent {
				continue
			}
			u := Event{EventID: e.EventID, Name: e.Name, At: time.UnixMilli(e.AtMS).UTC(), Actor: e.Actor, SenderID: e.SenderID}
			if r := rejected[e.EventID]; r != nil {
				u.RejectedBy, u.Reason = r.EventID, r.Reason
			} else if waits[e.Name] > 0 {
				waits[e.Name]--
				continue
			}
			left = append(left, u)
		}
	}
	return left
}

// Update has the fields of client.PendingUpdate, which documents them.
type Update struct {
	EventID    int64
	Name, ID   string
	At         time.Time
	AcceptedAt time.Time
	Actor      string
}

// Updates returns the updates that are neither rejected nor answered, given all turns of an execution.
func Updates(turns []store.Turn) []Update {
	open := map[int64]*Update{}
	var order []int64
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			name, is := e.Update()
			switch {
			case !is:
			case e.Kind == history.ExternalEvent:
				open[e.EventID] = &Update{EventID: e.EventID, Name: name, ID: e.SenderID, At: time.UnixMilli(e.AtMS).UTC(), Actor: e.Actor}
				order = append(order, e.EventID)
			case open[e.SourceEventID] == nil: // a damaged history
			case e.Op == history.OpAcceptUpdate:
				open[e.SourceEventID].AcceptedAt = time.UnixMilli(e.AtMS).UTC()
			default:
				delete(open, e.SourceEventID)
			}
		}
	}
	var all []Update
	for _, id := range order {
		if u := open[id]; u != nil {
			all = append(all, *u)
		}
	}
	return all
}
