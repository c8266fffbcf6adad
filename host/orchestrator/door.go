package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// A standard queue keeps no order, and may hand out one message twice at once,
// both times as its first delivery. So no turn is made of what it brings: a
// message waits there until it is due, and goes on to the FIFO queue, which hands
// out one message of an instance at a time. Nothing is looked up for that; the
// message is judged where it arrives.

// passOn sends a message of a standard queue on to the FIFO queue, and settles
// it. Two deliveries of it become one there if they come within five minutes,
// for SQS remembers deduplication ids that long; else the second is a duplicate.
func (o *Orchestrator) passOn(ctx context.Context, m *message) error {
	target, id := m.item.Target(), wire.DedupID(&m.item)
	switch {
	case m.item.Kind != wire.ActivityPending:
		id = wire.HopDedupID(id, m.ID)
	case m.redriven():
		// Copies of a round join (pending_round.go), but not with one that has
		// something to be sent again.
		id = wire.HopDedupID(id, "handled")
	}
	body, err := o.edge.Again(&m.item)
	if err == nil {
		err = o.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(target), DedupID: id, Attributes: redriveMark(m)})
	}
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent on to the FIFO queue: %w", m.item.Kind, target, err)
	}
	o.Observer.Count(host.CountForwarded, string(m.item.Kind), 1)
	m.state = settled
	return nil
}

// redriveMark keeps over a hop that a message was redriven, or was handled before
// it went round: SQS counts the receives of each hop from 1 again.
func redriveMark(m *message) map[string]string {
	switch {
	case m.Attributes[wire.RedriveAttribute] != "":
		return map[string]string{wire.RedriveAttribute: m.Attributes[wire.RedriveAttribute]}
	case m.redriven():
		return map[string]string{wire.RedriveAttribute: "1"}
	}
	return nil
}

// roundInTime sends a message of the FIFO queue round that has been received so
// often that the queue is about to take it away. Its last turn may be committed and
// not dispatched, and others overtake it now: like any that went round, it sends
// again what they have left open too.
func (o *Orchestrator) roundInTime(ctx context.Context, m *message) error {
	if err := o.sendRound(ctx, &m.item, o.Clock.Now().Add(o.Settings.NewerFirst), roundMark(m)); err != nil {
		return err
	}
	o.Logger.WarnContext(ctx, "message was received almost as often as its queue allows, and goes round as a new one", "instance", m.item.Target(),
		"kind", m.item.Kind, "receives", m.ReceiveCount, "message_id", m.ID)
	o.Observer.Count(host.CountDelayed, "receives", 1)
	m.state = settled
	return nil
}

// roundMark is what a message of the FIFO queue takes along that goes round: that
// it may have been handled before. A redrive ends with the hop, so that the round
// that it has begun comes to an end.
func roundMark(m *message) map[string]string {
	if m.returning() {
		return map[string]string{wire.RedriveAttribute: hopMark}
	}
	return nil
}

// hopMark is the RedriveAttribute of a message that was not redriven, and only
// went round.
const hopMark = "hop"
