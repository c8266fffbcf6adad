package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/wire"
)

// SenderAttribute is set by who sends a dead letter again, and names who sent it
// before (SentBy): what one role may not send is not made another's by a redrive.
const SenderAttribute = "turnstile-sender"

// SentBy returns the SenderAttribute of a dead letter that is sent again: the names
// that it had, and its sender, each role once, with blanks between them. The names
// that it had are kept, and believed only where they speak against it: who sent it
// first may have made them up.
func SentBy(attributes map[string]string, sender string) string {
	all := strings.Fields(attributes[SenderAttribute])
	if sender != "" && !slices.ContainsFunc(all, func(s string) bool { return roleOf(s) == roleOf(sender) }) {
		all = append(all, sender)
	}
	return strings.Join(all, " ")
}

// refusedSender says why a message may not have been sent by its sender; empty if
// it may. The activity function runs code of authors, and libraries that they
// use, and has to send to the orchestrator queue: what it has no reason to send
// is refused. It is asked when a message is received first, ahead of any forward,
// for then the orchestrator is its sender; a refusal goes with the message.
//
// Any other sender is IAM's to judge, and so is a role that has been replaced:
// what is in flight survives that. Where the service does not tell senders apart
// (an emulator names the account), nothing is refused.
func (o *Orchestrator) refusedSender(m *message) string {
	if why := m.Attributes[wire.ReasonAttribute]; hasReason(why, wire.ReasonSender) {
		return "it was refused before: " + strings.TrimSpace(strings.TrimPrefix(why, string(wire.ReasonSender)+":"))
	}
	senders := strings.Fields(SentBy(m.Attributes, m.Sender))
	if o.ActivityRole == "" || !slices.ContainsFunc(senders, func(s string) bool { return roleOf(s) == o.ActivityRole }) {
		return ""
	}
	switch m.item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.ActivityPending, wire.ActivityHeartbeat:
		// Each has to bring its token.
		return ""
	case wire.ActivityExecute:
		// A retry; it belongs on the activity queue, and comes from its dead letters.
		return ""
	case wire.StartOrchestration, wire.ExternalRaised:
		if o.ActivitiesMaySend && m.Source != SourceActivityDead && m.item.Parent == nil {
			return ""
		}
	}
	return fmt.Sprintf("%s was sent by the activity function, which may not send it", m.item.Kind)
}

// roleOf returns the unique id of the role of a sender, who is named by it and
// the session's name ("AROA…:session").
func roleOf(sender string) string {
	role, _, _ := strings.Cut(sender, ":")
	return role
}
