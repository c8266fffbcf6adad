// Package unconsumed finds the external events of an execution that no wait has received, and the updates that the code
// has not answered. The client reads the turns for it; the console has them already.
package unconsumed

import (
	"slices"
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

// Update is an update that is neither rejected nor answered.
type Update struct {
	Name, ID string
	Accepted bool
	// ExecutionID and EventID are the request, or the acceptance; At is when it was recorded.
	ExecutionID, EventID int64
	At                   time.Time
}

// Updates returns the updates that are neither rejected nor answered, given all turns of an execution, in the order of
// their requests.
func Updates(turns []store.Turn) []Update {
	var open []Update
	var requests []int64
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			name, is := e.Update()
			if !is {
				continue
			}
			u := Update{Name: name, ID: e.SenderID, Accepted: e.Op == history.OpAcceptUpdate, ExecutionID: turns[i].ExecutionID, EventID: e.EventID, At: time.UnixMilli(e.AtMS).UTC()}
			at := slices.Index(requests, e.SourceEventID)
			switch {
			case e.Kind == history.ExternalEvent:
				open, requests = append(open, u), append(requests, e.EventID)
			case at < 0: // a damaged history
			case u.Accepted:
				open[at] = u
			default:
				open, requests = slices.Delete(open, at, at+1), slices.Delete(requests, at, at+1)
			}
		}
	}
	return open
}
