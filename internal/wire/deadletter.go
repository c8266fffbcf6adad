package wire

import "strings"

// ReasonAttribute is the message attribute of a dead letter that says why it
// is one: a Reason, a colon and a text for people.
const ReasonAttribute = "turnstile-reason"

// Reasons for the dead-letter queue besides those of a ParseError.
const (
	// ReasonUnknownInstance: an event for an instance that was not started
	// within the window. A redrive after the start delivers it.
	ReasonUnknownInstance Reason = "unknown_instance"
	// ReasonMisaddressed: a completion that names no event of its execution,
	// or one of another kind.
	ReasonMisaddressed Reason = "misaddressed"
	// ReasonForged: a completion with a missing or wrong token.
	ReasonForged Reason = "forged"
	// ReasonSender: its sender may not send it.
	ReasonSender Reason = "sender_refused"
	// ReasonCorrupt: the instance's history is damaged.
	ReasonCorrupt Reason = "corrupt"
	// ReasonDamaged: its payload can't be opened by the codec that it names.
	ReasonDamaged Reason = "damaged"
	// ReasonExpired: an item older than MaxAge. It was not applied.
	ReasonExpired Reason = "expired"
	// ReasonRedriveRefused: the instance cannot go on from there, or the code that is
	// deployed disagrees with what was to be taken over. Nothing was changed.
	ReasonRedriveRefused Reason = "redrive_refused"
)

// Reasons returns all reasons.
func Reasons() []Reason {
	return []Reason{
		ReasonMalformed, ReasonUnknownVersion, ReasonUnknownKind, ReasonInvalidField, ReasonTooLarge,
		ReasonUnknownInstance, ReasonMisaddressed, ReasonForged, ReasonSender, ReasonCorrupt, ReasonDamaged, ReasonExpired,
		ReasonRedriveRefused,
	}
}

// maxReason bounds the attribute: it counts with the body against the size of
// a message.
const maxReason = 1024

// Attribute returns the value of the ReasonAttribute, cut to 1,024 bytes, with
// no character that SQS would refuse.
func (r Reason) Attribute(text string) string {
	clean := func(c rune) rune {
		if c < ' ' || c == '\ufffe' || c == '\uffff' {
			return ' '
		}
		return c
	}
	return fit(string(r)+": "+strings.Map(clean, text), maxReason)
}
