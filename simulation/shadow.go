package simulation

import (
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

type executionKey struct {
	instance  string
	execution int64
}

// shadow is what the world itself knows to be stored: everything that landed,
// in the order in which it did. Nothing in it ever changes.
type shadow struct {
	executions map[executionKey]*recorded
	last       map[string]int64 // execution
	born       map[string]int   // step at which its first execution landed
}

// recorded is one execution as it landed.
type recorded struct {
	events []history.Event
	bytes  [][]byte
	parked bool
	// completed by scheduling event; senders of external events.
	completed map[int64]bool
	senders   map[string]bool
	cancelled bool
}

func newShadow() shadow {
	return shadow{executions: map[executionKey]*recorded{}, last: map[string]int64{}, born: map[string]int{}}
}

func (s *shadow) instances() []string { return slices.Sorted(maps.Keys(s.last)) }

// ended reports whether the instance has come to its end.
func (s *shadow) ended(instance string) bool {
	x := s.executions[executionKey{instance, s.last[instance]}]
	return x != nil && x.end() != nil && x.end().Kind != history.OrchestrationContinuedAsNew
}

func (x *recorded) end() *history.Event {
	if n := len(x.events); n > 0 && x.events[n-1].Kind.Terminal() {
		return &x.events[n-1]
	}
	return nil
}

func (x *recorded) add(t *store.Turn) {
	for i := range t.Events {
		e := t.Events[i]
		x.events = append(x.events, e)
		x.bytes = append(x.bytes, history.Encode(t.Events[i:i+1]))
		switch {
		case e.SourceEventID > 0:
			x.completed[e.SourceEventID] = true
		case e.Kind == history.ExternalEvent:
			x.senders[e.SenderID] = true
		case e.Kind == history.OrchestrationCancelRequested:
			x.cancelled = true
		}
	}
	x.parked = t.Parked
}
