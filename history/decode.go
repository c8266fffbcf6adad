package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// Decode reads a history document that Encode, an older build or any other JSON writer
// produced. Payloads are not copied: they alias data, so the caller must not change data
// afterwards.
//
// Decode rejects everything that could be damage, and accepts what a newer build may add:
//
//   - Unknown fields are ignored. Recorded events are never rewritten, so ignoring a field
//     loses nothing.
//   - A document version newer than this build reads, or an event kind that this build does not
//     know, is an error that wraps ErrNewer and names the event and the kind. Damage before
//     that event is reported first.
//   - Any other difference from what Encode writes, except white space and the order of
//     fields, is a *DecodeError: truncated or malformed JSON, text that is not UTF-8, a
//     missing event_id or kind, an id below 1, a field of the wrong type (null included; a
//     payload may be any value), a number with a fraction or out of range, a known field
//     given twice in one event, an unpaired surrogate, data after the document.
//
// Decode does not check the sequence of event ids or the events that source ids name;
// package engine does.
func Decode(data []byte) ([]Event, error) { return decodeAppend(nil, data) }

// decodeAppend is Decode appending the events to dst. On error it returns dst unchanged.
func decodeAppend(dst []Event, data []byte) ([]Event, error) {
	d := decoder{data: data, events: dst}
	if !d.document() {
		return dst, d.err
	}
	return d.events, nil
}

// decoder makes one pass over a document. Its methods report whether decoding can
// continue; if one returns false, err is set.
type decoder struct {
	data   []byte
	pos    int
	events []Event
	err    error
	// zeroed is set once the spare capacity of events is known to be zero, because this
	// decoder allocated it.
	zeroed bool

	// eventID of the event being read, for errors.
	eventID int64
	// seen has a bit for every known field read so far of the current object.
	seen uint64
	// export receives the fields that only an Export has; nil ignores them.
	export *Export
	names  interner
}

// fail is not inlined, which keeps the successful paths small.
//
//go:noinline
func (d *decoder) fail(offset int, format string, args ...any) bool {
	if d.err == nil {
		d.err = &DecodeError{EventID: d.eventID, Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	return false
}

// Fields of the document.
const (
	docV uint64 = 1 << iota
	docEvents
	docInstance
	docExecutionID
	docTurns
)

func (d *decoder) document() bool {
	if !utf8.Valid(d.data) {
		return d.fail(firstInvalid(d.data), "not UTF-8")
	}
	if d.export == nil && bytes.HasPrefix(d.data, []byte(documentHead)) {
		// A document in the form that Encode writes: its version is known without looking
		// ahead.
		d.pos = len(documentHead) - 1
		if !d.eventList() {
			return false
		}
		d.seen = docV | docEvents
		if !d.fields(false, d.documentField) {
			return false
		}
		return d.end()
	}
	if !d.knownVersion() {
		return false
	}
	if !d.object(d.documentField) {
		return false
	}
	if d.seen&docEvents == 0 {
		return d.fail(d.pos, `no "events" in the document`)
	}
	return d.end()
}

func (d *decoder) end() bool {
	if d.pos = jsonscan.Space(d.data, d.pos); d.pos < len(d.data) {
		return d.fail(d.pos, "data after the end of the document")
	}
	return true
}

// knownVersion looks ahead for the document's version, because a document of a newer
// build must not be reported as damaged.
func (d *decoder) knownVersion() bool {
	var v int64
	ok := d.object(func(key []byte, _ bool) bool {
		if string(key) == "v" {
			return d.integer(&v, 1, docV)
		}
		return d.skip()
	})
	if !ok {
		return false
	}
	if d.seen&docV == 0 {
		return d.fail(d.pos, `no version "v" in the document`)
	}
	if v > formatVersion {
		d.err = fmt.Errorf("history: the document has version %d, but this build reads up to %d: %w", v, formatVersion, ErrNewer)
		return false
	}
	d.pos, d.seen = 0, 0
	return true
}

func (d *decoder) documentField(key []byte, b64 bool) bool {
	switch {
	case string(key) == "v" && !b64:
		var v int64
		return d.integer(&v, 1, docV)
	case string(key) == "events" && !b64:
		return d.once(docEvents) && d.eventList()
	case d.export != nil && string(key) == "instance":
		return d.text(&d.export.Instance, docInstance, b64)
	case d.export != nil && string(key) == "execution_id" && !b64:
		return d.integer(&d.export.ExecutionID, 1, docExecutionID)
	case d.export != nil && string(key) == "turns" && !b64:
		return d.once(docTurns) && d.turnList()
	}
	return d.skip()
}

// turnList reads the turns of an export.
func (d *decoder) turnList() bool {
	start := d.pos
	if d.data[start] != '[' {
		return d.fail(start, "expected an array of turns")
	}
	if !d.skip() {
		return false
	}
	if err := json.Unmarshal(d.data[start:d.pos], &d.export.Turns); err != nil {
		return d.fail(start, "turns is not a list of turns: %v", err)
	}
	before := int64(0)
	for _, t := range d.export.Turns {
		if t.Last <= before {
			return d.fail(start, "a turn that ends with event %d follows one that ends with event %d", t.Last, before)
		}
		before = t.Last
	}
	return true
}

// eventList reads the array of events.
func (d *decoder) eventList() bool {
	if !d.open('[', "an array of events") {
		return false
	}
	if d.pos < len(d.data) && d.data[d.pos] == ']' {
		d.pos++
		return true
	}
	outer, start, before := d.seen, d.pos, len(d.events)
	for {
		d.reserve(start, len(d.events)-before)
		var ok bool
		if d.events, ok = d.appendEvent(d.events); !ok {
			return false
		}
		d.eventID = 0
		d.pos = jsonscan.Space(d.data, d.pos)
		switch {
		case d.pos >= len(d.data):
			return d.fail(d.pos, jsonscan.CutOff)
		case d.data[d.pos] == ']':
			d.pos++
			d.seen = outer
			return true
		case d.data[d.pos] != ',':
			return d.fail(d.pos, jsonscan.NotJSON)
		}
		d.pos = jsonscan.Space(d.data, d.pos+1)
	}
}

// reserve makes room for the remaining events when there is none, so that appending does
// not copy the list over and over. In a document that Encode wrote, the event ids give
// the number of events. Otherwise reserve estimates it from the bytes left and the
// average length of the events read since start.
func (d *decoder) reserve(start, read int) {
	if len(d.events) < cap(d.events) {
		return
	}
	const shortest = len(`{"event_id":1,"kind":"TimerFired"}`)
	rest, n := len(d.data)-d.pos, 2 // as many events as most turns have
	switch {
	case read > 0:
		n = rest/max((d.pos-start)/read, shortest) + 1
		n += n / 8
	case rest > 2048:
		if counted := d.countByIDs(); counted > 0 {
			n = counted
		}
	}
	d.events = append(make([]Event, 0, len(d.events)+min(n, rest/shortest+1)), d.events...)
	d.zeroed = true
}

// countByIDs computes the number of remaining events from the ids of the first and the
// last of them. It returns 0 if the ids do not give the number.
func (d *decoder) countByIDs() int {
	const head = `{"event_id":`
	last := bytes.LastIndex(d.data[d.pos:], []byte(head))
	if last < 0 || !bytes.HasPrefix(d.data[d.pos:], []byte(head)) {
		return 0
	}
	n := leadingNumber(d.data[d.pos+last+len(head):]) - leadingNumber(d.data[d.pos+len(head):]) + 1
	return max(n, 0)
}

// leadingNumber returns the number at the start of data. It returns 0 if there is none,
// or if it has more than 9 digits.
func leadingNumber(data []byte) (n int) {
	for i := 0; i < len(data) && data[i]-'0' <= 9; i++ {
		if i == 9 {
			return 0
		}
		n = n*10 + int(data[i]-'0')
	}
	return n
}

func firstInvalid(data []byte) int {
	i := 0
	for i < len(data) {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}
