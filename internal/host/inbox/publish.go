package inbox

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// publish publishes an event about an instance that could not be published at once. It goes
// round with a growing delay until the bus takes it, and for no longer than any item: then
// it is a dead letter. It is for no turn, so that a bus which is down holds up no instance.
func (d *Door) publish(ctx context.Context, m *Message) error {
	if d.Bus.To == nil {
		// It was sent by a build, or a stack, that has a bus.
		d.Logger.WarnContext(ctx, "event about an instance not published: this build has no bus; it goes round", "instance", m.Item.Instance, "message_id", m.ID)
		return d.Leave(ctx, m, "unpublished")
	}
	err := d.Bus.PublishLater(ctx, m.Item.Event)
	if unreadable, is := errors.AsType[*publishing.UnreadableError](err); is {
		return d.DeadLetter(ctx, m, wire.ReasonInvalidField, unreadable.Error())
	}
	if err != nil {
		d.Logger.WarnContext(ctx, "event about an instance not published; it goes round, and is published again", "instance", m.Item.Instance, "message_id", m.ID, "error", err)
		return d.Leave(ctx, m, "unpublished")
	}
	d.Settle(m, "published")
	return nil
}
