package inbox

import (
	"context"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// A standard queue keeps no order, and may hand out one message twice at once,
// both times as its first delivery. So no turn is made of what it brings: a
// message waits there until it is due, and goes on to the FIFO queue, which hands
// out one message of an instance at a time. Nothing is looked up for that; the
// message is judged where it arrives.

// Door is where messages come in: what can't be understood or may not be sent is moved
// to a dead-letter queue, what is not due is sent round, and what a standard queue
// brought goes on to the FIFO queue. The rest is let in.
type Door struct {
	*Desk
	Keys *keyring.Ring
	platform.Senders
	// Scheduled: there is a timer service.
	Scheduled bool
	// Bus takes events about instances that could not be published at once.
	Bus publishing.Bus
}

// forward sends a message of a standard queue on to the FIFO queue. Two deliveries
// of it become one there if they come within five minutes, for SQS remembers
// deduplication ids that long; otherwise the second is a duplicate.
//
// Two messages that look at a pending activity at the same time become one too, because
// each of them would ask for another.
func (d *Door) forward(ctx context.Context, m *Message) error {
	id := wire.DedupID(&m.Item)
	if m.Item.Kind != wire.ActivityPending || m.Redriven() {
		id = wire.HopDedupID(id, m.ID)
	}
	if err := d.PassOn(ctx, m, &m.Item, id); err != nil {
		if !edge.Unfit(err) {
			return err
		}
		// It would come back a thousand times, for ten days.
		reason := wire.ReasonInvalidField
		if edge.TooLarge(err) {
			reason = wire.ReasonTooLarge
		}
		return d.DeadLetter(ctx, m, reason, err.Error())
	}
	d.Observer.Count(host.CountForwarded, string(m.Item.Kind), 1)
	return nil
}

// roundInTime sends a message of the FIFO queue round when SQS is about to move it
// to the dead letters for its receives. Its turn may be committed and not
// dispatched. Other messages may now overtake it; so, as after a redrive,
// everything open is sent again when it returns.
func (d *Door) roundInTime(ctx context.Context, m *Message) error {
	if err := d.SendRound(ctx, m, m.Item, d.Clock.Now().Add(d.Settings.Messages.NewerFirst), "receives"); err != nil {
		return err
	}
	d.Logger.WarnContext(ctx, "message was received almost as often as its queue allows, and goes round as a new one", "instance", m.Item.Target(),
		"kind", m.Item.Kind, "receives", m.ReceiveCount, "message_id", m.ID)
	return nil
}
