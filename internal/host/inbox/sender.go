package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// refusedSender says why a message may not have been sent by its sender; empty if
// it may. The activity function runs code of authors, and libraries that they use,
// and has to send to the orchestrator queue: what it has no reason to send is
// refused. It is asked when a message is received first, before any forward, for
// then the orchestrator is its sender; a refusal goes with the message.
//
// Any other sender is IAM's to judge, and so is a role that has been replaced:
// what is in flight survives that. Where the service does not tell senders apart
// (an emulator names the account), nothing is refused.
func (d *Door) refusedSender(m *Message) string {
	if why := m.Attributes[wire.ReasonAttribute]; strings.HasPrefix(why, string(wire.ReasonSender)+":") {
		return "it was refused before: " + strings.TrimSpace(strings.TrimPrefix(why, string(wire.ReasonSender)+":"))
	}
	senders := strings.Fields(wire.SentBy(m.Attributes, m.Sender))
	if d.ActivityRole == "" || !slices.ContainsFunc(senders, func(s string) bool { return wire.RoleOf(s) == d.ActivityRole }) {
		return ""
	}
	switch m.Item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.ActivityPending, wire.ActivityHeartbeat:
		// Each has to bring its token.
		return ""
	case wire.ActivityExecute:
		// A retry; it belongs on the activity queue, and comes from its dead letters.
		return ""
	case wire.StartOrchestration, wire.ExternalRaised:
		if d.ActivitiesMaySend && m.Source != platform.SourceActivityDead && m.Item.Parent == nil {
			return ""
		}
	}
	return fmt.Sprintf("%s was sent by the activity function, which may not send it", m.Item.Kind)
}
