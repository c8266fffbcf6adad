package inbox

import (
	"context"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// A standard queue keeps no order, and may deliver one message to two processes at once, as a first
// delivery to each. So its messages never cause turns directly. A message waits in the standard
// queue until it is due, and is then forwarded to the FIFO queue, which delivers the messages of an
// instance one at a time. Forwarding requires no read; the message is checked when the FIFO queue
// delivers it.

// Receiver receives messages. It moves a message that it cannot parse, or whose sender may not send it,
// to a dead-letter queue; requeues one that is not due; and forwards one from a standard queue to
// the FIFO queue. It accepts the rest.
type Receiver struct {
	*Settler
	platform.Senders
	// Scheduled is set if a timer service exists.
	Scheduled bool
	// Bus receives events about instances that could not be published at once; nil for none.
	Bus *publishing.Bus
}

// forward returns the hop that moves a message from a standard queue to the FIFO queue. If the
// message is delivered twice within five minutes, the FIFO queue keeps one copy, because SQS
// remembers deduplication ids that long; otherwise the second copy is a duplicate.
//
// The same applies to two messages that check one pending activity at the same time, because each
// of them would schedule another check.
func (d *Receiver) forward(m *Message) *hop {
	id := wire.DedupID(&m.Item)
	if m.Item.Kind != wire.ActivityPending || m.Redriven() {
		id = wire.HopDedupID(id, m.ID)
	}
	h := d.onward(m, &m.Item, id)
	h.counter, h.reason = host.CountForwarded, string(m.Item.Kind)
	return h
}

// send sends the messages of hops, in one call for each queue, and settles the originals. A
// standard queue keeps no order, so the messages of one group share a call too.
func (d *Receiver) send(ctx context.Context, hops []*hop) {
	for len(hops) > 0 {
		to := hops[0].to
		var same, others []*hop
		var msgs []queue.Outgoing
		for _, h := range hops {
			switch {
			case h.to != to:
				others = append(others, h)
			case h.err != nil:
				d.hopped(ctx, h, h.err)
			default:
				h.msg.Unordered = to.FIFO()
				same, msgs = append(same, h), append(msgs, h.msg)
			}
		}
		if len(msgs) > 0 {
			err := to.Send(ctx, msgs...)
			for i, h := range same {
				d.hopped(ctx, h, queue.ErrorOf(err, i))
			}
		}
		hops = others
	}
}

// hopped settles the message of a hop, or handles its error. A message that the FIFO queue will
// never accept becomes a dead letter; otherwise it would be redelivered a thousand times, for ten
// days.
func (d *Receiver) hopped(ctx context.Context, h *hop, err error) {
	ctx = h.m.logContext(ctx)
	if err = d.settled(h, err); edge.Unfit(err) && h.counter == host.CountForwarded {
		reason := wire.ReasonInvalidField
		if edge.TooLarge(err) {
			reason = wire.ReasonTooLarge
		}
		err = d.DeadLetter(ctx, h.m, reason, err.Error())
	}
	if err != nil {
		d.notTaken(ctx, h.m, err)
	}
}

// requeueInTime requeues a message of the FIFO queue that SQS is about to move to the dead-letter
// queue for its receive count, because the turn of the message may be committed and not dispatched.
// Other messages may now overtake it. So all open operations are sent again when the message
// arrives again, as after a redrive.
func (d *Receiver) requeueInTime(ctx context.Context, m *Message) error {
	if err := d.Requeue(ctx, m, m.Item, d.Clock.Now().Add(d.Settings.Messages.NewerFirst), "receives"); err != nil {
		return err
	}
	d.Logger.WarnContext(ctx, "message was received almost as often as its queue allows, and is requeued as a new one", "instance", m.Item.Target(),
		"kind", m.Item.Kind, "receives", m.ReceiveCount, "message_id", m.ID)
	return nil
}
