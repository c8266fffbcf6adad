package inbox

import (
	"context"

	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/wire"
)

// letIn makes a message's payloads plain. One that is sealed by a codec which
// this process does not have goes round; one that is damaged is a dead letter.
//
// So does a start that forks an instance from another: this build can't, and
// would begin it from nothing.
func (d *Door) letIn(ctx context.Context, m *Message) error {
	if m.Item.Kind == wire.StartOrchestration && m.Item.Origin != nil {
		d.Logger.WarnContext(ctx, "start has an origin, which is for a newer build; it goes round until one that forks instances handles it",
			"instance", m.Item.Target(), "message_id", m.ID)
		return d.Leave(ctx, m, "newer")
	}
	err := d.Edge.Open(&m.Item)
	switch {
	case err == nil:
		return nil
	case edge.MissesCodec(err):
		d.Logger.WarnContext(ctx, "message is sealed by a codec that this build does not have; it goes round until one that has it handles it",
			"instance", m.Item.Target(), "message_id", m.ID, "error", err)
		return d.Leave(ctx, m, "codec")
	case delivery.ReasonOf(err) == wire.ReasonTooLarge:
		return d.DeadLetter(ctx, m, wire.ReasonTooLarge, err.Error())
	}
	return d.DeadLetter(ctx, m, wire.ReasonDamaged, err.Error())
}
