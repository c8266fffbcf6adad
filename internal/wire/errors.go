package wire

import "fmt"

// Reason is a word that says why a work item was rejected. The ReasonAttribute of a dead
// letter starts with it.
type Reason string

// Reasons of a ParseError.
const (
	// ReasonMalformed is for a body that is empty, not UTF-8 or not a JSON object, or that has a
	// field twice.
	ReasonMalformed Reason = "malformed"
	// ReasonUnknownVersion is for a contract version that this build does not know.
	ReasonUnknownVersion Reason = "unknown_version"
	// ReasonUnknownKind is for a kind that this build does not know.
	ReasonUnknownKind Reason = "unknown_kind"
	// ReasonInvalidField means that a field is missing, has the wrong type or is out of range.
	ReasonInvalidField Reason = "invalid_field"
	// ReasonTooLarge means that an id, name or payload exceeds its limit.
	ReasonTooLarge Reason = "too_large"
)

// ParseError says why a body is not a work item that this build accepts. It is final: the
// same build rejects the same bytes every time.
type ParseError struct {
	Reason Reason
	// Kind of the item, if it could be read; otherwise empty.
	Kind Kind
	// Field that is invalid, by its path in the JSON, such as "events[2].name"; empty if
	// it is the body as a whole.
	Field string
	// Problem describes what was found and what was expected, for people.
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

// clip cuts a text from a sender to a length that fits an error text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
