package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Desk is where messages are settled: acknowledged, moved to a dead-letter queue, sent
// round, or handed back.
type Desk struct {
	Queues   platform.Queues
	Edge     edge.Edge
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
	// Settings has the delays.
	Settings *host.Settings
}

// Settle acknowledges a message, saying what became of it.
func (d *Desk) Settle(m *Message, outcome string) {
	m.State = Settled
	d.Observer.Count(host.CountMessages, outcome, 1)
}

// Acknowledge deletes the settled ones of some messages of the FIFO queue before the invocation
// returns, in their order.
func (d *Desk) Acknowledge(ctx context.Context, messages []*Message) error {
	for _, m := range messages {
		if m.State != Settled {
			continue
		}
		if err := d.Queues.Orchestrator.Delete(ctx, m.Message); err != nil {
			return fmt.Errorf("host: message %s not deleted: %w", m.ID, err)
		}
	}
	return nil
}

// Fail hands a message back.
func (d *Desk) Fail(m *Message, reason string) {
	m.State = Failed
	d.Observer.Count(host.CountHandedBack, reason, 1)
}

// FailAll hands back what of some messages is not settled.
func (d *Desk) FailAll(messages []*Message, reason string) {
	for _, m := range Left(messages) {
		d.Fail(m, reason)
	}
}

// DeadLetter moves a message to its final dead-letter queue and settles it: it
// blocks nobody, and nothing is lost. It keeps its group and its body, which
// is the one it came with; its deduplication id is its message id.
func (d *Desk) DeadLetter(ctx context.Context, m *Message, reason wire.Reason, text string) error {
	to := d.Queues.DeadStandard
	if m.Source == platform.SourceOrchestrator {
		to = d.Queues.DeadFIFO
	}
	if err := delivery.MoveToDead(ctx, to, &m.Message, &m.Item, reason, text, d.Logger); err != nil {
		return err
	}
	m.State = Settled
	d.Observer.Count(host.CountDeadLettered, string(reason), 1)
	return nil
}

// SendRound sends a message round by the delay queue until it is due, as the item that
// is given, and settles it.
func (d *Desk) SendRound(ctx context.Context, m *Message, item wire.Item, due time.Time, reason string) error {
	item.Hops++
	if err := d.SendLater(ctx, &item, due, m.hopMark()); err != nil {
		return err
	}
	m.State = Settled
	d.Observer.Count(host.CountDelayed, reason, 1)
	return nil
}

// SendLater sends an item by the delay queue.
func (d *Desk) SendLater(ctx context.Context, item *wire.Item, due time.Time, attributes map[string]string) error {
	body, err := d.Edge.Again(item)
	if err == nil {
		err = d.Queues.Delay.Send(ctx, queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(d.Clock.Now())), Attributes: attributes})
	}
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	return nil
}

// Leave sends a message round for another build, as long as it takes.
func (d *Desk) Leave(ctx context.Context, m *Message, reason string) error {
	due := d.Clock.Now().Add(backoff.Grown(d.Settings.Messages.NewerFirst, d.Settings.Messages.NewerMax, m.Item.Hops))
	return d.SendRound(ctx, m, m.Item, due, reason)
}

// Post sends an item of this process's own to the FIFO queue.
func (d *Desk) Post(ctx context.Context, item *wire.Item) error {
	item.Stamp(d.Clock.Now())
	body, err := d.Edge.Encode(item)
	if err != nil {
		return err
	}
	return d.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
}

// PassOn has a message follow itself in the FIFO queue, as the item that is given,
// under a deduplication id, and settles it. SQS remembers those ids for five minutes.
func (d *Desk) PassOn(ctx context.Context, m *Message, item *wire.Item, dedupID string) error {
	body, err := d.Edge.Again(item)
	if err == nil {
		err = d.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: dedupID, Attributes: m.hopMark()})
	}
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent on to the FIFO queue: %w", item.Kind, item.Target(), err)
	}
	m.State = Settled
	return nil
}

// Follow has a message follow itself as the item that is given, and settles it, saying
// what became of it.
func (d *Desk) Follow(ctx context.Context, m *Message, item *wire.Item, outcome string) error {
	if err := d.PassOn(ctx, m, item, wire.HopDedupID(wire.DedupID(item), m.ID)); err != nil {
		return err
	}
	d.Settle(m, outcome)
	return nil
}

// hopMark is what a message takes along over a hop: that it was redriven, or may have
// been handled before, for SQS counts the receives of each hop from 1 again. On its
// way into the FIFO queue a redrive goes along; out of it that ends, so that the round
// which it has begun comes to an end.
func (m *Message) hopMark() map[string]string {
	mark := ""
	switch {
	case m.Source == platform.SourceOrchestrator:
		if m.Returning() {
			mark = HopMark
		}
	case m.Attributes[wire.RedriveAttribute] != "":
		mark = m.Attributes[wire.RedriveAttribute]
	case m.Redriven():
		mark = "1"
	}
	if mark == "" {
		return nil
	}
	return map[string]string{wire.RedriveAttribute: mark}
}

// HopMark is the value of RedriveAttribute in a message that was not redriven, and
// only went round after it had been received.
const HopMark = "hop"

// Close marks what is not settled as failed, lets it come back after a growing
// backoff, and returns its ids. On the FIFO queue everything of a group after a
// failure goes back too, or the group would be handled out of order.
func (d *Desk) Close(ctx context.Context, messages []*Message) []string {
	d.FailAll(messages, "not handled")
	broken := map[string]int{} // by FIFO group: the most receives of what goes back
	for _, m := range messages {
		if m.Source != platform.SourceOrchestrator {
			continue
		}
		receives, behind := broken[m.Group]
		if behind && m.State != Failed {
			d.Fail(m, "behind a failure")
		}
		if m.State == Failed {
			broken[m.Group] = max(receives, m.ReceiveCount)
		}
	}
	ids := []string{}
	var back delivery.Comeback
	for _, m := range messages {
		if m.State != Failed {
			continue
		}
		ids = append(ids, m.ID)
		receives := m.ReceiveCount
		if m.Source == platform.SourceOrchestrator {
			receives = broken[m.Group]
		}
		back.Add(d.Queues.Of(m.Source), &m.Message, &m.Item, backoff.Grown(d.Settings.Messages.BackoffFirst, d.Settings.Messages.BackoffMax, receives-1))
	}
	back.Send(ctx, d.Logger.DebugContext)
	return ids
}

// SendRoundWithin sends a message round with growing delay, for no longer than a window
// since it began to go round.
func (d *Desk) SendRoundWithin(ctx context.Context, m *Message, window time.Duration, reason string) error {
	item := m.Item
	since, begins := m.RoundSince(d.Clock.Now())
	if begins {
		item.FirstSeenMS, item.Hops = since.UnixMilli(), 0
	}
	due := d.Clock.Now().Add(backoff.Grown(d.Settings.Messages.EarlyFirst, d.Settings.Messages.EarlyMax, item.Hops))
	if end := since.Add(window); due.After(end) {
		due = end
	}
	return d.SendRound(ctx, m, item, due, reason)
}

// RoundSince returns since when a message goes round, and whether that begins
// now: a redrive from the dead letters begins anew.
func (m *Message) RoundSince(now time.Time) (since time.Time, begins bool) {
	if m.Item.FirstSeenMS == 0 || m.FromDeadLetters() {
		return now, true
	}
	return time.UnixMilli(m.Item.FirstSeenMS), false
}

// FromDeadLetters reports whether a message was a dead letter, and has not gone round since.
func (m *Message) FromDeadLetters() bool {
	return m.Attributes[wire.ReasonAttribute] != "" || m.Redriven() && m.Attributes[wire.RedriveAttribute] != HopMark
}
