// Package unconsumed finds the external events of an execution that no wait has received. The client reads the turns for
// it; the console has them already.
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
			if e.Kind != history.ExternalEvent {
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
