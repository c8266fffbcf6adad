package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// A turn that copies the history of another execution may be larger than one commit. Then the copied
// events are written in advance, in parts (Store.WriteAhead), where no reader sees them. The commit of
// the turn has the remaining events and the name of these parts. The name is derived from their
// content. So several processes can write the parts, even repeatedly, and parts with other content are
// never mixed with them.

// aheadHead is how the document of a turn begins that has events written in advance. An older build
// treats it as the document of a newer build.
const aheadHead = `{"v":2,"ahead":"`

// documentHead is how all other documents begin, which package history writes.
const documentHead = `{"v":1,`

// Stored returns the events that the commit of the turn stores: those that were not written in advance.
func (t *Turn) Stored() []history.Event {
	if t.Ahead == "" {
		return t.Events
	}
	return t.Events[max(0, min(t.AheadLast, int64(len(t.Events)))):] // Check has not run yet: AheadLast may be invalid.
}

// Document returns the history document of some of the events that the commit of the turn stores. If
// the document has the first of them, it names the events that were written in advance.
func (t *Turn) Document(events []history.Event) []byte {
	doc := history.Encode(events)
	if t.Slot(events) == events[0].EventID {
		return doc
	}
	head := aheadHead + t.Ahead + `","ahead_last":` + strconv.FormatInt(t.AheadLast, 10) + ","
	return append([]byte(head), doc[len(documentHead):]...)
}

// Slot returns the position at which some of the events are stored that the commit of the turn stores:
// the id of their first event, or the beginning of the turn.
func (t *Turn) Slot(events []history.Event) int64 {
	if first := events[0].EventID; t.Ahead == "" || first != t.AheadLast+1 {
		return first
	}
	return t.First()
}

// Decode decodes a stored document, given its slot: its events, and the name of what was written in
// advance. Errors are those of [DecodeEvents].
func (t *Turn) Decode(slot int64, doc []byte) (err error) {
	first := slot
	if rest, is := bytes.CutPrefix(doc, []byte(aheadHead)); is && slot == 1 {
		token, rest, _ := bytes.Cut(rest, []byte(`","ahead_last":`))
		last, rest, _ := bytes.Cut(rest, []byte(","))
		t.Ahead = string(token)
		if t.AheadLast, err = strconv.ParseInt(string(last), 10, 64); err != nil || t.AheadLast < 1 || !validAhead(t.Ahead) {
			return &CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: slot, Reason: "its reference to the events written in advance is damaged"}
		}
		first, doc = t.AheadLast+1, append([]byte(documentHead), rest...)
	}
	t.Events, err = DecodeEvents(t.Instance, t.ExecutionID, first, doc)
	return err
}

// Join prepends the events that were written in advance to the events of a turn that was read; parts
// are all of them, in order. A missing part, or one of another name, is a *CorruptError.
func (t *Turn) Join(parts []Turn) error {
	events := make([]history.Event, 0, int(t.AheadLast)+len(t.Events))
	for i := range parts {
		if p := &parts[i]; p.Token == t.Ahead && p.First() == int64(len(events))+1 {
			events = append(events, p.Events...)
		}
	}
	if int64(len(events)) != t.AheadLast {
		return &CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: int64(len(events)) + 1,
			Reason: fmt.Sprintf("not all of the %d events that were written in advance for the turn at event 1 are stored", t.AheadLast)}
	}
	t.Events, t.Ahead, t.AheadLast = append(events, t.Events...), "", 0
	return nil
}

// AheadSlots returns the range of slots in which the parts of a name are stored, if they have events up
// to last: the slot of a part is derived from its negated first event. All of these slots are below 1,
// where nothing else is stored, and the ranges of different names do not overlap.
func (t *Turn) AheadSlots(last int64) (low, high int64) {
	sum := sha256.Sum256([]byte(t.Ahead))
	base := -int64(binary.BigEndian.Uint64(sum[:8])>>24) << 22
	return base - last, base - 1
}

// CheckAhead returns an ErrInvalidTurn if a part must not be written in advance. Every Store calls it
// before it writes a part.
func (t *Turn) CheckAhead() error {
	if err := t.check(); err != nil {
		return err
	}
	switch {
	case t.Ahead != t.Token || !validAhead(t.Ahead):
		return fmt.Errorf("%w: instance %q execution %d: events written in advance need one name of 16 to 64 hexadecimal digits in both Token and Ahead", ErrInvalidTurn, t.Instance, t.ExecutionID)
	case t.Last() > MaxAhead:
		return fmt.Errorf("%w: instance %q execution %d: event %d is after the last that can be written in advance, %d", ErrInvalidTurn, t.Instance, t.ExecutionID, t.Last(), MaxAhead)
	}
	return nil
}

func validAhead(name string) bool {
	return len(name) >= 16 && len(name) <= 64 && strings.Trim(name, "0123456789abcdef") == ""
}
