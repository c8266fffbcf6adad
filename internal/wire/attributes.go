package wire

import (
	"slices"
	"strings"
)

// RedriveAttribute marks a message that was sent again from a dead-letter queue, with any
// value. The message counts as received before, because its turn may have been committed
// and never dispatched. The ReasonAttribute, which a redrive by SQS keeps, has the same
// effect.
const RedriveAttribute = "turnstile-redrive"

// SenderAttribute is set when a dead letter is sent again, and names its earlier senders
// (SentBy). So a redrive cannot turn a message that one role may not send into a message
// of another role.
const SenderAttribute = "turnstile-sender"

// SentBy returns the SenderAttribute for a dead letter that is sent again: the names that
// it already has and its sender, each role once, separated by spaces. The first sender
// may have made up the names, so they can only restrict what the message may do.
func SentBy(attributes map[string]string, sender string) string {
	all := strings.Fields(attributes[SenderAttribute])
	if sender != "" && !slices.ContainsFunc(all, func(s string) bool { return RoleOf(s) == RoleOf(sender) }) {
		all = append(all, sender)
	}
	return strings.Join(all, " ")
}

// RoleOf returns the unique id of a sender's role. A sender is named "AROA…:session", by
// the role id and the session name.
func RoleOf(sender string) string {
	role, _, _ := strings.Cut(sender, ":")
	return role
}
