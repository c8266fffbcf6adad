package orchestrator

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/keyring"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// batch is what one invocation received.
type batch struct {
	messages []*message
}

// open parses the messages. What can't be understood is moved to a dead-letter
// queue, what is not due is sent round, and what a standard queue brought goes on
// to the FIFO queue. The rest is left unsettled: messages of the FIFO queue, of
// which turns are made. Nothing of a group is looked at behind a message that
// could not be moved.
func (o *Orchestrator) open(ctx context.Context, deliveries []host.Delivery) *batch {
	b := &batch{messages: make([]*message, len(deliveries))}
	broken := map[string]bool{}
	for i, d := range deliveries {
		m := &message{Delivery: d}
		b.messages[i] = m
		fifo := d.Source == host.SourceOrchestrator
		if fifo && broken[d.Group] {
			o.fail(m, "behind a failure")
			continue
		}
		if err := o.admit(ctx, m); err != nil {
			o.Logger.WarnContext(m.about(ctx), "message not taken", "message_id", m.ID, "error", err)
			o.fail(m, admitWord(err))
		}
		if fifo && m.state == failed {
			broken[d.Group] = true
		}
	}
	return b
}

// admit reads one message; an error says that it could not be moved on.
func (o *Orchestrator) admit(ctx context.Context, m *message) error {
	item, err := wire.ParseWrapped(m.Body)
	if err != nil {
		return o.deadLetter(ctx, m, delivery.ReasonOf(err), o.edge.Refusal(err))
	}
	m.item = item.WithID(m.ID)
	ctx = m.about(ctx)
	if why := o.refusedSender(m); why != "" {
		return o.deadLetter(ctx, m, wire.ReasonSender, why)
	}
	now := o.Clock.Now()
	delivery.Received(&m.Message, &m.item, now)
	o.Observer.Timing(host.TimeMessageAge, max(m.item.Age(now), 0))
	if m.item.Expired(now) {
		return o.deadLetter(ctx, m, wire.ReasonExpired, delivery.Expiry(&m.item, now))
	}
	execute := item.Kind == wire.ActivityExecute
	switch {
	case execute && m.Source == host.SourceActivityDead:
		return o.sendAnew(ctx, m)
	case execute:
		return o.deadLetter(ctx, m, wire.ReasonMisaddressed, "ActivityExecute belongs on the activity queue")
	case m.Source == host.SourceActivityDead:
		return o.deadLetter(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind))
	}
	due, bounded := dueOf(&m.item)
	early := bounded && due.After(now)
	if m.Source != host.SourceOrchestrator && (!early || item.Kind == wire.ActivityPending) {
		return o.passOn(ctx, m)
	}
	if n := o.Settings.RoundReceives; n > 0 && m.ReceiveCount >= n {
		return o.roundInTime(ctx, m)
	}
	if err := o.prove(ctx, m); err != nil || m.state != unsettled {
		return err
	}
	if early {
		_, keyed := keyring.Keyed(m.item.Token)
		if keyed && !m.proven {
			// It would go round until it is due, and be refused then.
			return o.deadLetter(ctx, m, wire.ReasonForged, fmt.Sprintf("%s for instance %q execution %d: its token is not that of event %d%s",
				m.item.Kind, m.item.Instance, m.item.ExecutionID, m.item.SourceEventID, o.missingKey(m.item.Token)))
		}
		if problem := o.tooFar(&m.item, due, now); problem != "" {
			return o.deadLetter(ctx, m, wire.ReasonInvalidField, problem)
		}
		if m.item.Kind == wire.ActivityPending && !keyed {
			// Its execution alone knows the token, and how long it may wait.
			return o.letIn(ctx, m)
		}
		if m.item.Kind == wire.ActivityPending {
			return o.nextRound(ctx, m, m.item, due)
		}
		// A clock that was ahead may have taken it for due already.
		mark := roundMark(m)
		if m.Source != host.SourceOrchestrator {
			mark = redriveMark(m)
		}
		if err := o.sendRound(ctx, &m.item, due, mark); err != nil {
			return err
		}
		o.Observer.Count(host.CountDelayed, "not_due", 1)
		m.state = settled
		return nil
	}
	return o.letIn(ctx, m)
}

// sendAnew sends an attempt that SQS took from the activity queue after its last
// receive to that queue again, with growing delay. Receives prove nothing: what
// hands a message back, or keeps it from being received, costs time only. A
// process that dies in an attempt is found by its mark (Worker.suspects).
func (o *Orchestrator) sendAnew(ctx context.Context, m *message) error {
	item := m.item
	item.Hops++
	now := o.Clock.Now()
	body, delay, err := o.edge.AttemptMessage(item, now.Add(backoff.Grown(o.Settings.NewerFirst, o.Settings.NewerMax, m.item.Hops)), now)
	if err == nil {
		err = o.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: delay})
	}
	if err != nil {
		return fmt.Errorf("host: attempt %d of activity %q, instance %q, not sent to the activity queue again: %w", item.Attempt, item.Name, item.Instance, err)
	}
	o.Logger.WarnContext(ctx, "attempt was received too often for its queue, and is sent there again", "activity", item.Name,
		"instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt, "message_id", m.ID)
	o.settle(m, "sent_anew")
	return nil
}

// dueOf returns before when an item must not be taken.
func dueOf(i *wire.Item) (time.Time, bool) {
	switch {
	case i.Kind == wire.TimerFired:
		return time.UnixMilli(i.FireAtMS), true
	case (i.Kind == wire.Wake || i.Kind == wire.PurgeInstance || i.Kind == wire.ActivityPending) && i.NotBeforeMS > 0:
		return time.UnixMilli(i.NotBeforeMS), true
	}
	return time.Time{}, false
}

// close marks what is not settled as failed, lets it come back after a growing
// backoff, and returns its ids. On the FIFO queue everything of a group behind
// a failure goes back too, or the group would be handled out of order.
func (o *Orchestrator) close(ctx context.Context, b *batch) []string {
	broken := map[string]int{} // by FIFO group: the most receives of what goes back
	for _, m := range b.messages {
		if m.state == unsettled {
			o.fail(m, "not handled")
		}
		if m.Source != host.SourceOrchestrator {
			continue
		}
		receives, behind := broken[m.Group]
		if behind && m.state != failed {
			o.fail(m, "behind a failure")
		}
		if m.state == failed {
			broken[m.Group] = max(receives, m.ReceiveCount)
		}
	}
	ids := []string{}
	var back delivery.Comeback
	for _, m := range b.messages {
		if m.state != failed {
			continue
		}
		ids = append(ids, m.ID)
		receives := m.ReceiveCount
		if m.Source == host.SourceOrchestrator {
			receives = broken[m.Group]
		}
		back.Add(o.Queues.Of(m.Source), &m.Message, &m.item, backoff.Grown(o.Settings.BackoffFirst, o.Settings.BackoffMax, receives-1))
	}
	back.Send(ctx, o.Logger.DebugContext)
	return ids
}

func (o *Orchestrator) fail(m *message, reason string) {
	m.state = failed
	o.Observer.Count(host.CountHandedBack, reason, 1)
}

// settle acknowledges a message, saying what became of it.
func (o *Orchestrator) settle(m *message, outcome string) {
	m.state = settled
	o.Observer.Count(host.CountMessages, outcome, 1)
}
