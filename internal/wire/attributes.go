package wire

import (
	"slices"
	"strings"
)

// RedriveAttribute marks a message that was sent again from a dead-letter
// queue, with any value. It counts as received before: its turn may have been
// committed and never dispatched. The ReasonAttribute, which a redrive by
// SQS keeps, says the same.
const RedriveAttribute = "turnstile-redrive"

// SenderAttribute is set by who sends a dead letter again, and names who sent it
// before (SentBy): what one role may not send is not made another's by a redrive.
const SenderAttribute = "turnstile-sender"

// SentBy returns the SenderAttribute of a dead letter that is sent again: the names
// that it had, and its sender, each role once, with blanks between them. The names
// that it had are kept, and believed only where they speak against it: who sent it
// first may have made them up.
func SentBy(attributes map[string]string, sender string) string {
	all := strings.Fields(attributes[SenderAttribute])
	if sender != "" && !slices.ContainsFunc(all, func(s string) bool { return RoleOf(s) == RoleOf(sender) }) {
		all = append(all, sender)
	}
	return strings.Join(all, " ")
}

// RoleOf returns the unique id of the role of a sender, who is named by it and
// the session's name ("AROA…:session").
func RoleOf(sender string) string {
	role, _, _ := strings.Cut(sender, ":")
	return role
}
