package program

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// The data of an event is a text. Sometimes a client sends a list with one text in it
// instead. A wait rejects such an event and continues to wait, or takes it, and the program
// gets the error of its decoding: each wait decides on its own, whatever the name.

// WrongData returns the data of an event that cannot be decoded; its text distinguishes
// events.
func WrongData(text string) []byte { return []byte(`["` + text + `"]`) }

// EventText returns the text of the data of an event, and whether the data can be decoded.
func EventText(data []byte) (text string, ok bool) {
	inner, wrong := strings.CutPrefix(string(data), "[")
	return Text([]byte(strings.TrimSuffix(inner, "]"))), !wrong
}

// accepts is the acceptor of a wait that rejects data.
func accepts(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return errors.New("it is not a text")
	}
	return nil
}

// drawRejects decides whether the waits of a statement reject data that cannot be decoded;
// if its event is sent between instances, also whether such data is sent first.
func drawRejects(c *choice.Choices, at choice.Spot) bool { return c.Even(c.At(at, "rejects")) }

// waiting reports whether the statement waits for events that clients send.
func (k Kind) waiting() bool {
	return k == kEvent || k == kEventOr || k == kHold || k == kLook || k == kWaits
}

// Wait reports whether programs wait for events that clients send.
func (ps Programs) Wait() bool { return ps.Have(Kind.waiting) }

// acceptor returns the acceptor of a statement's waits; nil for those that take all data. In the
// lenient build it is the opposite.
func (r *interpreter) acceptor(s *Statement) engine.Acceptor {
	if s.Rejects == (r.defect.Kind == "lenient") {
		return nil
	}
	return accepts
}

// decoded returns the result of a wait with its data decoded: a list stands for the error.
func decoded(t Token, err error) (Token, error) {
	if text, ok := EventText([]byte(t.V)); !ok {
		t.K, t.V = "wrong", text
	}
	return t, err
}

// event matches the result of a wait: an event that was sent, and that nothing else took.
func (m *Match) event(s *Statement, t *Token) string {
	if name, ok := m.Sent[t.V]; !ok || name != EventName(s.N) {
		return "no client sent that event"
	}
	wrong := slices.Contains(m.Wrong, t.V)
	switch {
	case m.Used[t.V]:
		return "that event was consumed twice"
	case m.Rejected[t.V] && !m.Redriven:
		return "that event was rejected"
	case wrong != (t.K == "wrong"):
		return "its data can be decoded only if a text was sent"
	case wrong && s.Rejects && !m.Lenient:
		return "the wait rejects such data"
	}
	m.Used[t.V] = true
	return ""
}
