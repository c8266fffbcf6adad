package reading

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// EventsOf returns the events of turns.
func EventsOf(turns []store.Turn) []history.Event {
	if len(turns) == 1 {
		return turns[0].Events
	}
	events := make([]history.Event, 0, EventCount(turns))
	for i := range turns {
		events = append(events, turns[i].Events...)
	}
	return events
}

// EventCount returns the number of events in turns.
func EventCount(turns []store.Turn) (n int) {
	for i := range turns {
		n += len(turns[i].Events)
	}
	return n
}

// ContinuedAsNew reports whether turns end with a continue-as-new.
func ContinuedAsNew(turns []store.Turn) bool {
	if len(turns) == 0 {
		return false
	}
	last := &turns[len(turns)-1]
	return last.Events[len(last.Events)-1].Kind == history.OrchestrationContinuedAsNew
}
