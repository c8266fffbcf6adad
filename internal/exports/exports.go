// Package exports makes the export of an execution from its turns, and turns from an export, and names the documents of
// archives.
package exports

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// New returns turns of one execution, in order, as an export: their events, and
// which of them were committed together. Payloads are as they are.
func New(instance string, executionID int64, turns []store.Turn) history.Export {
	x := history.Export{Instance: instance, ExecutionID: executionID}
	for i := range turns {
		t := &turns[i]
		x.Events = append(x.Events, t.Events...)
		x.Turns = append(x.Turns, history.ExportTurn{Last: t.Last(), Messaged: t.Messaged, Parked: t.Parked, Cancelled: t.Cancelled})
	}
	return x
}

// Turns returns the turns of an export, without tokens. known is false where it
// does not say which events were committed together, or where what it says does not
// fit its events, as when somebody has cut it: there are no turns then.
func Turns(x history.Export) (turns []store.Turn, known bool) {
	if n := len(x.Turns); n == 0 || len(x.Events) == 0 || x.Turns[n-1].Last != x.Events[len(x.Events)-1].EventID {
		return nil, false
	}
	events := x.Events
	for _, t := range x.Turns {
		n := 0
		for n < len(events) && events[n].EventID <= t.Last {
			n++
		}
		if n == 0 || events[n-1].EventID != t.Last {
			return nil, false
		}
		turns = append(turns, store.Turn{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: events[:n:n],
			Messaged: t.Messaged, Parked: t.Parked, Cancelled: t.Cancelled})
		events = events[n:]
	}
	return turns, true
}
