package simulation

import (
	"bytes"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/history"
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
	hidden     map[string]int64 // execution that was the last when it was purged
}

// recorded is one execution as it landed.
type recorded struct {
	events []history.Event
	// stored are the events as the store got them, if payloads are sealed in
	// this run. bytes are of those that point to something, by index.
	sealed bool
	stored []history.Event
	bytes  map[int][]byte
	// completed: the completion of each scheduling event; senders of external events.
	completed map[int64]int64
	senders   map[string]bool
	cancelled bool
	// inline activities that are open.
	inline int
	// stopped are operations that were cancelled or closed; never those of the
	// turn that scheduled them, which must not be sent.
	stopped, never map[int64]bool
	scratch        []byte
}

func newShadow() shadow {
	return shadow{executions: map[executionKey]*recorded{}, last: map[string]int64{}, born: map[string]int{}, hidden: map[string]int64{}}
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

// add notes an event that has landed, and as what it is stored.
func (x *recorded) add(e, stored *history.Event) {
	if x.events == nil {
		x.events = make([]history.Event, 0, 16)
	}
	// Whoever made the event may write over its payload.
	x.events = append(x.events, *e)
	x.events[len(x.events)-1].Payload = bytes.Clone(e.Payload)
	if x.sealed {
		x.stored = append(x.stored, *stored)
		x.stored[len(x.stored)-1].Payload = bytes.Clone(stored.Payload)
	}
	if points(stored) {
		note(&x.bytes, len(x.events)-1, history.AppendEvent(nil, stored))
	}
	if e.SourceEventID > 0 {
		x.completed[e.SourceEventID] = e.EventID
		if x.events[e.SourceEventID-1].Inline {
			x.inline--
		}
	}
	if e.Inline && e.Kind == history.ActivityScheduled {
		x.inline++
	}
	switch e.Kind {
	case history.ParentAttached:
		x.senders["start:"+e.Start.StartID] = true
	case history.ExternalEvent:
		x.senders[e.SenderID] = true
	case history.OrchestrationCancelRequested:
		x.cancelled = true
	}
}

// points reports whether an event points to something, so that its bytes tell it
// from another.
func points(e *history.Event) bool { return e.Retry != nil || e.Failure != nil || e.Start != nil }

// alike reports whether two events that point to nothing have the same fields.
func alike(a, b *history.Event) bool {
	return a.EventID == b.EventID && a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.AtMS == b.AtMS &&
		a.Name == b.Name && a.Version == b.Version && a.Instance == b.Instance && a.Codec == b.Codec && bytes.Equal(a.Payload, b.Payload) &&
		a.FireAtMS == b.FireAtMS && a.DurationMS == b.DurationMS && a.Op == b.Op && a.Inline == b.Inline && a.ExplicitID == b.ExplicitID &&
		a.OnParentEnd == b.OnParentEnd && a.UseExisting == b.UseExisting && a.SenderID == b.SenderID && a.Reason == b.Reason && a.Imposed == b.Imposed &&
		!points(a) && !points(b)
}

// holds reports whether the event that is stored at an index is this one, byte
// for byte.
func (x *recorded) holds(at int, e *history.Event) bool {
	if at < 0 || at >= len(x.events) {
		return false
	}
	own := x.events
	if x.sealed {
		own = x.stored
	}
	if !points(&own[at]) {
		return alike(&own[at], e)
	}
	x.scratch = history.AppendEvent(x.scratch[:0], e)
	return bytes.Equal(x.bytes[at], x.scratch)
}
