package history

import (
	"bytes"
	"fmt"
	"math"
)

func (d *decoder) appendEvent(events []Event) ([]Event, bool) {
	d.seen = 0
	events = events[:len(events)+1] // reserve has made room
	e := &events[len(events)-1]
	if !d.zeroed {
		*e = Event{}
	}
	start := d.pos
	first, ok := d.eventHead(e)
	if !ok || !d.fields(first, func(key []byte, b64 bool) bool { return d.eventField(e, key, b64) }) {
		return events, false
	}
	if d.seen&hasEventID == 0 {
		return events, d.fail(start, `no "event_id" in the event`)
	}
	if e.Kind.hasStart() && d.seen&hasParent == 0 {
		e.Start.Parent = nil
	}
	return events, true
}

// eventHead reads the opening brace and finds the kind, which decides how the other
// fields are read. In an event that Encode wrote, event_id and kind come first, and
// eventHead reads both. Otherwise it looks ahead for the kind. first reports whether no
// field of the event has been read yet.
func (d *decoder) eventHead(e *Event) (first, ok bool) {
	const head, middle = `{"event_id":`, `,"kind":"`
	start := d.pos
	if rest := d.data[d.pos:]; len(rest) > len(head) && string(rest[:len(head)]) == head {
		d.pos += len(head)
		if !d.integer(&e.EventID, 1, hasEventID) {
			return false, false
		}
		d.eventID = e.EventID
		rest = d.data[d.pos:]
		if len(rest) > len(middle) && string(rest[:len(middle)]) == middle {
			rest = rest[len(middle):]
			// The name of a known kind has neither quotes nor escapes.
			if n := bytes.IndexByte(rest, '"'); n > 0 {
				if e.Kind = kindNamed(rest[:n]); e.Kind != KindUnknown {
					d.pos += len(middle) + n + 1
					d.seen |= hasKind
					e.begin()
					return false, d.usualFields(e)
				}
			}
		}
		d.pos, d.seen = start, 0
	}
	if !d.lookAhead(e) || !d.open('{', "an event, which is an object") {
		return false, false
	}
	e.begin()
	return true, true
}

// usualFields reads the fields that come next in most events that Encode wrote, and stops
// at the first that does not match. The caller reads the remaining fields one by one, in
// any order.
func (d *decoder) usualFields(e *Event) bool {
	if d.skipLiteral(`,"at_ms":`) && !d.integer(&e.AtMS, math.MinInt64, hasAtMS) {
		return false
	}
	if d.skipLiteral(`,"source_event_id":`) && !d.integer(&e.SourceEventID, 1, hasSourceEventID) {
		return false
	}
	if d.skipLiteral(`,"name":`) && !d.text(&e.Name, hasName, false) {
		return false
	}
	if e.Kind == ActivityCompleted && d.skipLiteral(`,"started_at_ms":`) {
		if !d.integer(&e.StartedAtMS, math.MinInt64, hasStartedAtMS) {
			return false
		}
		if d.skipLiteral(`,"attempt":`) && !d.count(&e.Attempt, hasAttempt) {
			return false
		}
		if d.skipLiteral(`,"request_id":`) && !d.text(&e.RequestID, hasRequestID, false) {
			return false
		}
	}
	return !d.skipLiteral(e.Kind.payloadHead()) || d.payload(&e.Payload, hasPayload, false)
}

// skipLiteral skips s if s is not empty and comes next.
func (d *decoder) skipLiteral(s string) bool {
	if s == "" || len(d.data)-d.pos <= len(s) || string(d.data[d.pos:d.pos+len(s)]) != s {
		return false
	}
	d.pos += len(s)
	return true
}

// begin allocates the parts that only some kinds have.
func (e *Event) begin() {
	if e.Kind.hasStart() {
		e.Start = &Start{}
	}
}

// lookAhead finds the kind and the id of an event, then returns to the start of the
// event.
func (d *decoder) lookAhead(e *Event) bool {
	start := d.pos
	var name string
	ok := d.object(func(key []byte, b64 bool) bool {
		switch {
		case string(key) == "kind" && !b64:
			return d.text(&name, hasKind, false)
		case string(key) == "event_id" && !b64:
			ok := d.integer(&e.EventID, 1, hasEventID)
			d.eventID = e.EventID
			return ok
		}
		return d.skip()
	})
	if !ok {
		return false
	}
	if d.seen&hasKind == 0 {
		return d.fail(start, `no "kind" in the event`)
	}
	if e.Kind = kindNamed([]byte(name)); e.Kind == KindUnknown {
		if len(name) > 80 {
			name = name[:80] + "…"
		}
		d.err = fmt.Errorf("history: event %d is of kind %q, which this build does not know: %w", e.EventID, name, ErrNewer)
		return false
	}
	d.pos, d.seen = start, 0
	return true
}

func kindNamed(name []byte) Kind {
	for k := KindUnknown + 1; k < kindEnd; k++ {
		if string(name) == kindNames[k] {
			return k
		}
	}
	return KindUnknown
}
