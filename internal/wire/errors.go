package wire

import "fmt"

// Reason is the word by which a work item is refused. It begins the
// ReasonAttribute of a dead letter.
type Reason string

// Reasons of a ParseError.
const (
	// ReasonMalformed: empty, not UTF-8, not a JSON object, or a field given
	// twice.
	ReasonMalformed Reason = "malformed"
	// ReasonUnknownVersion: a contract version that this build does not know.
	ReasonUnknownVersion Reason = "unknown_version"
	// ReasonUnknownKind: a kind that this build does not know.
	ReasonUnknownKind Reason = "unknown_kind"
	// ReasonInvalidField: a field that is missing, of another type or out of
	// its range.
	ReasonInvalidField Reason = "invalid_field"
	// ReasonTooLarge: an id, name or payload over its limit.
	ReasonTooLarge Reason = "too_large"
)

// ParseError says why a body is not a work item that this build takes. It is
// final: another delivery of the same bytes to the same build fails the same
// way.
type ParseError struct {
	Reason Reason
	// Kind of the item, as far as it was understood; else empty.
	Kind Kind
	// Field that is at fault, by its path in the JSON, like "events[2].name";
	// empty where it is the body as a whole.
	Field string
	// Problem for people: what is there and what is expected.
	Problem string
}

func (e *ParseError) Error() string {
	s := "wire: " + string(e.Reason)
	if e.Kind != "" {
		s += fmt.Sprintf(": kind %q", clip(string(e.Kind), 80))
	}
	if e.Field != "" {
		s += fmt.Sprintf(": field %q", e.Field)
	}
	return s + ": " + e.Problem
}

// clip cuts what a stranger wrote to a length fit for an error text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
