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

// A turn that takes over the history of another execution may be larger than one commit. Then
// what it takes over is written ahead of it, part by part (Store.WriteAhead), where no reader
// looks; and the commit of the turn holds the rest, and says that it begins with these parts.
// They are named after their content, so that they can be written by several processes, and
// again, and nothing of another name gets between them.

// aheadHead is how the document of a turn begins that has events written ahead. A build that
// does not know it takes it for a newer one's.
const aheadHead = `{"v":2,"ahead":"`

// documentHead is how all other documents begin, which package history writes.
const documentHead = `{"v":1,`

// Stored returns the events that the commit of the turn stores: all that are not written ahead.
func (t *Turn) Stored() []history.Event {
	if t.Ahead == "" {
		return t.Events
	}
	return t.Events[max(0, min(t.AheadLast, int64(len(t.Events)))):] // A Commit may be checked later.
}

// Document returns the history document that holds some of the events that the commit of the turn
// stores. That of the first of them names what was written ahead.
func (t *Turn) Document(events []history.Event) []byte {
	doc := history.Encode(events)
	if t.Slot(events) == events[0].EventID {
		return doc
	}
	head := aheadHead + t.Ahead + `","ahead_last":` + strconv.FormatInt(t.AheadLast, 10) + ","
	return append([]byte(head), doc[len(documentHead):]...)
}

// Slot returns where some of the events are stored that the commit of the turn stores: under
// the first of them, or where the turn begins.
func (t *Turn) Slot(events []history.Event) int64 {
	if first := events[0].EventID; t.Ahead == "" || first != t.AheadLast+1 {
		return first
	}
	return t.First()
}

// Decode takes the events of a stored document, whose slot is given, and what it says was
// written ahead of them. Errors as of [DecodeEvents].
func (t *Turn) Decode(slot int64, doc []byte) (err error) {
	first := slot
	if rest, is := bytes.CutPrefix(doc, []byte(aheadHead)); is && slot == 1 {
		token, rest, _ := bytes.Cut(rest, []byte(`","ahead_last":`))
		last, rest, _ := bytes.Cut(rest, []byte(","))
		t.Ahead = string(token)
		if t.AheadLast, err = strconv.ParseInt(string(last), 10, 64); err != nil || t.AheadLast < 1 || !validAhead(t.Ahead) {
			return &CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: slot, Reason: "what it says of the events written ahead is damaged"}
		}
		first, doc = t.AheadLast+1, append([]byte(documentHead), rest...)
	}
	t.Events, err = DecodeEvents(t.Instance, t.ExecutionID, first, doc)
	return err
}

// Join puts in front of the events of a turn that was read those that were written ahead of it: all
// parts, in order. If one is missing, or another's, it is a *CorruptError.
func (t *Turn) Join(parts []Turn) error {
	events := make([]history.Event, 0, int(t.AheadLast)+len(t.Events))
	for i := range parts {
		if p := &parts[i]; p.Token == t.Ahead && p.First() == int64(len(events))+1 {
			events = append(events, p.Events...)
		}
	}
	if int64(len(events)) != t.AheadLast {
		return &CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: int64(len(events)) + 1,
			Reason: fmt.Sprintf("of the %d events that were written ahead of the turn which begins with event 1 not all are stored", t.AheadLast)}
	}
	t.Events, t.Ahead, t.AheadLast = append(events, t.Events...), "", 0
	return nil
}

// AheadSlots returns between which slots the parts of a name are stored, if they hold events up to
// last: that of a part is from minus its first event. All are below 1, where nothing else is, and
// parts of different names lie apart.
func (t *Turn) AheadSlots(last int64) (low, high int64) {
	sum := sha256.Sum256([]byte(t.Ahead))
	base := -int64(binary.BigEndian.Uint64(sum[:8])>>24) << 22
	return base - last, base - 1
}

// CheckAhead reports, as ErrInvalidTurn, why a part must not be written ahead. Every Store calls
// it before it writes one.
func (t *Turn) CheckAhead() error {
	if err := t.check(); err != nil {
		return err
	}
	switch {
	case t.Ahead != t.Token || !validAhead(t.Ahead):
		return fmt.Errorf("%w: instance %q execution %d: what is written ahead needs one name of 16 to 64 hexadecimal digits, as Token and as Ahead", ErrInvalidTurn, t.Instance, t.ExecutionID)
	case t.Last() > MaxAhead:
		return fmt.Errorf("%w: instance %q execution %d: event %d is behind the last that can be written ahead, %d", ErrInvalidTurn, t.Instance, t.ExecutionID, t.Last(), MaxAhead)
	}
	return nil
}

func validAhead(name string) bool {
	return len(name) >= 16 && len(name) <= 64 && strings.Trim(name, "0123456789abcdef") == ""
}
