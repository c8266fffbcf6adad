package host

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/wire"
)

// message sends what an orchestration has for another instance. Like a
// detached start it has no completion: it is sent each time that its commit is
// dispatched, with the id that its event gives it.
func (out *outbox) message(s *sending, e *history.Event) {
	item := wire.Item{V: wire.Version, Instance: e.Instance, Headers: out.propagator.sent(s.Turn, nil)}
	switch e.Op {
	case history.OpRaiseEvent:
		item.Kind, item.Name, item.Data, item.Codec, item.ID = wire.ExternalRaised, e.Name, e.Payload, e.Codec, derivedID("event", s, e.EventID)
	case history.OpCancelInstance:
		item.Kind, item.Reason, item.ID = wire.CancelInstance, e.Reason, derivedID("cancel-instance", s, e.EventID)
	default:
		return
	}
	if err := out.send(&item); err != nil {
		// Nobody waits for it: what is owed is a dead letter with the reason.
		out.refuse(s, e.EventID, fmt.Sprintf("%s for instance %q not sent", item.Kind, e.Instance), err)
		return
	}
	out.note(string(item.Kind), e.EventID, e.Instance)
}
