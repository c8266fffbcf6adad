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
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Settler settles messages: it acknowledges them, moves them to a dead-letter queue, requeues them
// through the delay queue, or returns them to their queue.
type Settler struct {
	Queues   platform.Queues
	Edge     edge.Edge
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
	// Keys explain why the token of a forged message is not valid.
	Keys *keyring.Ring
	// Settings has the delays.
	Settings *host.Settings
}

// Settle marks a message for acknowledgement, and counts its outcome.
func (d *Settler) Settle(m *Message, outcome string) {
	m.State = Settled
	d.Observer.Count(host.CountMessages, outcome, 1)
}

// Acknowledge deletes the settled messages among these from the FIFO queue, in order, before the
// invocation returns.
func (d *Settler) Acknowledge(ctx context.Context, messages []*Message) error {
	for _, m := range messages {
		if m.State != Settled {
			continue
		}
		if err := d.Queues.Orchestrator.Delete(ctx, m.Message); err != nil {
			return fmt.Errorf("host: could not delete message %s: %w", m.ID, err)
		}
	}
	return nil
}

// Fail marks a message to be returned to its queue, and counts the reason.
func (d *Settler) Fail(m *Message, reason string) {
	m.State = Failed
	d.Observer.Count(host.CountReturned, reason, 1)
}

// FailAll fails the messages that are not settled.
func (d *Settler) FailAll(messages []*Message, reason string) {
	for _, m := range Left(messages) {
		d.Fail(m, reason)
	}
}

// DeadLetter moves a message to its final dead-letter queue and settles it, so that it blocks no
// other message and is not lost. The message keeps its group and its original body; its
// deduplication id is its message id.
func (d *Settler) DeadLetter(ctx context.Context, m *Message, reason wire.Reason, text string) error {
	to := d.Queues.DeadStandard
	if m.Source == platform.SourceOrchestrator {
		to = d.Queues.DeadFIFO
	}
	if reason == wire.ReasonForged {
		text += d.missingKey(tokenOf(&m.Item))
	}
	if err := delivery.MoveToDead(ctx, to, &m.Message, &m.Item, reason, text, d.Logger); err != nil {
		return err
	}
	m.State = Settled
	d.Observer.Count(host.CountDeadLettered, string(reason), 1)
	return nil
}

// Requeue requeues a message as this item through the delay queue until it is due, and settles
// it.
func (d *Settler) Requeue(ctx context.Context, m *Message, item wire.Item, due time.Time, reason string) error {
	return d.make(ctx, d.requeued(m, item, due, reason))
}

// requeued returns the hop that requeues a message through the delay queue until it is due.
func (d *Settler) requeued(m *Message, item wire.Item, due time.Time, reason string) *hop {
	item.Hops++
	h := &hop{m: m, to: d.Queues.Delay, what: fmt.Sprintf("could not requeue %s for instance %q", item.Kind, item.Target()), counter: host.CountDelayed, reason: reason}
	h.msg, h.err = d.later(&item, due, m.hopMark())
	return h
}

// SendLater sends an item through the delay queue.
func (d *Settler) SendLater(ctx context.Context, item *wire.Item, due time.Time, attributes map[string]string) error {
	msg, err := d.later(item, due, attributes)
	if err == nil {
		err = d.Queues.Delay.Send(ctx, msg)
	}
	if err != nil {
		return fmt.Errorf("host: could not requeue %s for instance %q: %w", item.Kind, item.Target(), err)
	}
	return nil
}

// later returns the delay queue's message for an item, delayed until the item is due.
func (d *Settler) later(item *wire.Item, due time.Time, attributes map[string]string) (queue.Outgoing, error) {
	body, err := d.Edge.Again(item)
	return queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(d.Clock.Now())), Attributes: attributes}, err
}

// Leave requeues a message until a process of another build handles it, however
// long that takes.
func (d *Settler) Leave(ctx context.Context, m *Message, reason string) error {
	if m.Item.Age(d.Clock.Now()) >= delivery.HeldUp {
		d.Observer.Count(host.CountHeldUp, reason, 1)
	}
	return d.Requeue(ctx, m, m.Item, d.nextRequeue(m), reason)
}

// nextRequeue returns when a message that waits for another build, or for the event bus, is due next.
func (d *Settler) nextRequeue(m *Message) time.Time {
	return d.Clock.Now().Add(backoff.Grown(d.Settings.Messages.NewerFirst, d.Settings.Messages.NewerMax, m.Item.Hops))
}

// Post sends an item that this process has made to the FIFO queue.
func (d *Settler) Post(ctx context.Context, item *wire.Item) error {
	item.Stamp(d.Clock.Now())
	body, err := d.Edge.Encode(item)
	if err != nil {
		return err
	}
	return d.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
}

// PassOn sends an item, under a deduplication id, to the FIFO queue in place of a message, and
// settles the message. SQS remembers deduplication ids for five minutes.
func (d *Settler) PassOn(ctx context.Context, m *Message, item *wire.Item, dedupID string) error {
	return d.make(ctx, d.onward(m, item, dedupID))
}

// onward returns the hop that sends an item to the FIFO queue in place of a message.
func (d *Settler) onward(m *Message, item *wire.Item, dedupID string) *hop {
	body, err := d.Edge.Again(item)
	return &hop{m: m, to: d.Queues.Orchestrator, msg: queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: dedupID, Attributes: m.hopMark()},
		what: fmt.Sprintf("could not forward %s for instance %q to the FIFO queue", item.Kind, item.Target()), err: err}
}

// hop replaces a message with another one. The original is settled when the replacement has been
// sent.
type hop struct {
	m   *Message
	to  queue.Queue
	msg queue.Outgoing
	// what is the start of the error's text; err is the error if msg could not
	// be made.
	what string
	err  error
	// When msg is sent, counter is incremented under reason; if reason is empty, nothing is
	// counted.
	counter host.Counter
	reason  string
}

// make sends one hop.
func (d *Settler) make(ctx context.Context, h *hop) error {
	if h.err != nil {
		return d.settled(h, h.err)
	}
	return d.settled(h, h.to.Send(ctx, h.msg))
}

// settled settles the message of a hop that was sent, or returns an error if the hop was not sent.
func (d *Settler) settled(h *hop, err error) error {
	if err != nil {
		return fmt.Errorf("host: %s: %w", h.what, err)
	}
	h.m.State = Settled
	if h.reason != "" {
		d.Observer.Count(h.counter, h.reason, 1)
	}
	return nil
}

// Follow sends an item to the FIFO queue in place of a message, settles the message and counts the
// outcome.
func (d *Settler) Follow(ctx context.Context, m *Message, item *wire.Item, outcome string) error {
	if err := d.PassOn(ctx, m, item, wire.HopDedupID(wire.DedupID(item), m.ID)); err != nil {
		return err
	}
	d.Settle(m, outcome)
	return nil
}

// hopMark returns the attributes that a message keeps over a hop. They show that it was redriven or
// may have been handled before, because SQS counts receives from 1 again after each hop. A message
// that enters the FIFO queue keeps the attribute of its redrive. A message that leaves that queue
// loses the attribute, so that the redrive extends the requeuing only once.
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

// HopMark is the value of RedriveAttribute in a message that was not redriven, but was requeued
// after it had been received.
const HopMark = "hop"

// Close fails all messages that are not settled, has them redelivered after a growing backoff, and
// returns their ids. On the FIFO queue all later messages of a failed message's group fail too,
// because otherwise the group would be handled out of order.
func (d *Settler) Close(ctx context.Context, messages []*Message) []string {
	for _, m := range messages {
		if m.State != Settled && m.State != Failed {
			d.Fail(m, "not handled")
		}
	}
	broken := map[string]int{} // by FIFO group: the highest receive count of the failed messages
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

// RequeueWithin requeues a message with a growing delay, until a window has passed since the
// message was first requeued.
func (d *Settler) RequeueWithin(ctx context.Context, m *Message, window time.Duration, reason string) error {
	item := m.Item
	since, starts := m.RequeuedSince(d.Clock.Now())
	if starts {
		item.FirstSeenMS, item.Hops = since.UnixMilli(), 0
	}
	due := d.Clock.Now().Add(backoff.Grown(d.Settings.Messages.EarlyFirst, d.Settings.Messages.EarlyMax, item.Hops))
	if end := since.Add(window); due.After(end) {
		due = end
	}
	return d.Requeue(ctx, m, item, due, reason)
}

// RequeuedSince returns when a message was first requeued, and whether that is now. A redrive from a
// dead-letter queue restarts the time.
func (m *Message) RequeuedSince(now time.Time) (since time.Time, starts bool) {
	if m.Item.FirstSeenMS == 0 || m.FromDeadLetters() {
		return now, true
	}
	return time.UnixMilli(m.Item.FirstSeenMS), false
}

// FromDeadLetters reports whether a message was a dead letter and has not been requeued since.
func (m *Message) FromDeadLetters() bool {
	return m.Attributes[wire.ReasonAttribute] != "" || m.Redriven() && m.Attributes[wire.RedriveAttribute] != HopMark
}
