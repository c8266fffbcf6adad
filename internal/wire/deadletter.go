package wire

import "strings"

// ReasonAttribute is the message attribute that explains a dead letter: a Reason, a colon
// and a text for people.
const ReasonAttribute = "turnstile-reason"

// Reasons for a dead letter in addition to those of a ParseError.
const (
	// ReasonUnknownInstance is for an event whose instance was not started within 15 minutes. A
	// redrive after the start delivers it.
	ReasonUnknownInstance Reason = "unknown_instance"
	// ReasonMisaddressed is for a completion that names no event of its execution, or an event of
	// another kind.
	ReasonMisaddressed Reason = "misaddressed"
	// ReasonForged is for a completion with a missing or wrong token.
	ReasonForged Reason = "forged"
	// ReasonSender means that the sender is not allowed to send it.
	ReasonSender Reason = "sender_refused"
	// ReasonCorrupt means that the instance's history is damaged.
	ReasonCorrupt Reason = "corrupt"
	// ReasonDamaged means that the codec that it names cannot decode its payload.
	ReasonDamaged Reason = "damaged"
	// ReasonExpired is for an item older than MaxAge. It was not applied.
	ReasonExpired Reason = "expired"
	// ReasonRedriveRefused means that the instance cannot continue from there, or the deployed code
	// disagrees with the history that would be copied. Nothing was changed.
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

// maxReason limits the attribute, because it counts with the body toward the size of a
// message.
const maxReason = 1024

// Attribute returns the value of the ReasonAttribute, cut to 1,024 bytes, without
// characters that SQS rejects.
func (r Reason) Attribute(text string) string {
	clean := func(c rune) rune {
		if c < ' ' || c == '\ufffe' || c == '\uffff' {
			return ' '
		}
		return c
	}
	return fit(string(r)+": "+strings.Map(clean, text), maxReason)
}
