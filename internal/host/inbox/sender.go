package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// refusedSender returns why the sender of a message may not send it; empty if it may. The activity
// function runs users' code and libraries, and must be able to send to the orchestrator queue, so
// messages that it has no reason to send are refused. The check runs when a message is first
// received, before any forward, because after a forward the orchestrator is its sender; a refusal
// stays with the message.
//
// IAM decides about all other senders. A role that has since been replaced is not refused either,
// so that messages in flight survive the replacement. Nothing is refused if the service does not
// distinguish senders (an emulator reports the account).
func (d *Receiver) refusedSender(m *Message) string {
	if why := m.Attributes[wire.ReasonAttribute]; strings.HasPrefix(why, string(wire.ReasonSender)+":") {
		return "it was refused before: " + strings.TrimSpace(strings.TrimPrefix(why, string(wire.ReasonSender)+":"))
	}
	senders := strings.Fields(wire.SentBy(m.Attributes, m.Sender))
	if d.ActivityRole == "" || !slices.ContainsFunc(senders, func(s string) bool { return wire.RoleOf(s) == d.ActivityRole }) {
		return ""
	}
	switch m.Item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.ActivityPending, wire.ActivityHeartbeat:
		// Each of these must carry its token.
		return ""
	case wire.ActivityExecute:
		// A retry. It belongs to the activity queue, and comes from that queue's dead-letter queue.
		return ""
	case wire.StartOrchestration, wire.ExternalRaised:
		if d.ActivitiesMaySend && m.Source != platform.SourceActivityDead && m.Item.Parent == nil {
			return ""
		}
	}
	return fmt.Sprintf("%s was sent by the activity function, which may not send it", m.Item.Kind)
}
