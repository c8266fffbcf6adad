package inbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Open parses the messages of a batch. Messages of the FIFO queue that are accepted for a turn are
// left unsettled. If a message could not be moved, the rest of its group is not processed. If a
// start that may restart its instance is requeued or dead-lettered here, it is deleted before the
// messages after it are processed. Otherwise, if this process died in between, those messages would
// be applied to the current execution and then be delivered again to the next one.
func (d *Receiver) Open(ctx context.Context, deliveries []platform.Delivery) []*Message {
	messages := make([]*Message, len(deliveries))
	var hops []*hop
	broken := map[string]bool{}
	for i, received := range deliveries {
		m := &Message{Delivery: received}
		messages[i] = m
		fifo := received.Source == platform.SourceOrchestrator
		if fifo && broken[received.Group] {
			d.Fail(m, "behind a failure")
			continue
		}
		h, err := d.admit(ctx, m)
		switch {
		case err != nil:
			d.notTaken(m.logContext(ctx), m, err)
		case h != nil && fifo:
			d.send(ctx, []*hop{h})
		case h != nil:
			hops = append(hops, h)
		}
		if fifo && (m.State == Failed || m.State == Settled && m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.StartsNext() && !d.gone(ctx, m)) {
			broken[received.Group] = true
		}
	}
	d.send(ctx, hops)
	return messages
}

// notTaken returns to its queue a message that could not be processed.
func (d *Receiver) notTaken(ctx context.Context, m *Message, err error) {
	d.Logger.WarnContext(ctx, "message not processed", "message_id", m.ID, "error", err)
	word := "queue"
	if errors.Is(err, errKeys) {
		word = "keys"
	}
	d.Fail(m, word)
}

// gone deletes a settled message from the FIFO queue, and reports whether it succeeded.
func (d *Receiver) gone(ctx context.Context, m *Message) bool {
	err := d.Acknowledge(ctx, []*Message{m})
	if err != nil {
		d.Logger.InfoContext(m.logContext(ctx), "could not delete a settled start; the messages after it return to the queue", "message_id", m.ID, "error", err)
	}
	return err == nil
}

// admit parses one message. If no turn handles the message, admit returns the hop that forwards or
// requeues it, moves it to a dead-letter queue, or, if it is an event for the bus, leaves it in
// state Waiting. After an error the message is returned to its queue.
func (d *Receiver) admit(ctx context.Context, m *Message) (*hop, error) {
	item, err := d.Edge.ParseWrapped(m.Body)
	if err != nil {
		return nil, d.DeadLetter(ctx, m, delivery.ReasonOf(err), d.Edge.Refusal(err))
	}
	m.Item = item.WithID(m.ID)
	ctx = m.logContext(ctx)
	if why := d.refusedSender(m); why != "" {
		return nil, d.DeadLetter(ctx, m, wire.ReasonSender, why)
	}
	now := d.Clock.Now()
	delivery.Received(&m.Message, &m.Item, now)
	d.Observer.Timing(host.TimeMessageAge, max(m.Item.Age(now), 0))
	if m.Item.Expired(now) {
		return nil, d.DeadLetter(ctx, m, wire.ReasonExpired, delivery.Expiry(&m.Item, now))
	}
	execute := item.Kind == wire.ActivityExecute
	switch {
	case execute && m.Source == platform.SourceActivityDead:
		return nil, d.sendAnew(ctx, m)
	case execute:
		return nil, d.DeadLetter(ctx, m, wire.ReasonMisaddressed, "ActivityExecute belongs on the activity queue")
	case m.Source == platform.SourceActivityDead:
		return nil, d.DeadLetter(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind))
	case item.Kind == wire.InstanceEvent:
		m.State = Waiting
		return nil, nil
	}
	due, bounded := dueOf(&m.Item)
	early := bounded && due.After(now)
	if m.Source != platform.SourceOrchestrator && !early {
		return d.forward(m), nil
	}
	if n := d.Settings.Messages.RequeueAfterReceives; n > 0 && m.ReceiveCount >= n {
		return nil, d.requeueInTime(ctx, m)
	}
	if err := d.prove(ctx, m); err != nil || m.State != Unsettled {
		return nil, err
	}
	if early {
		if m.Item.Token != "" && !m.Proven {
			// Otherwise the message would be requeued until it is due, and be refused only then.
			return nil, d.DeadLetter(ctx, m, wire.ReasonForged, fmt.Sprintf("%s for instance %q execution %d: its token does not match event %d",
				m.Item.Kind, m.Item.Instance, m.Item.ExecutionID, m.Item.SourceEventID))
		}
		if problem := d.tooFar(m, due, now); problem != "" {
			return nil, d.DeadLetter(ctx, m, wire.ReasonInvalidField, problem)
		}
		// A process whose clock is ahead may already have treated the message as due.
		return d.requeued(m, m.Item, due, "not_due"), nil
	}
	return nil, d.letIn(ctx, m)
}

// sendAnew sends an attempt to the activity queue again, with a growing delay, after SQS moved it
// to that queue's dead-letter queue for its receive count. A receive count proves nothing, because
// throttling and outages also raise it. A poison attempt, which kills its process, is detected in a
// different way (store.Suspect).
func (d *Receiver) sendAnew(ctx context.Context, m *Message) error {
	item := m.Item
	item.Hops++
	now := d.Clock.Now()
	due := now.Add(backoff.Grown(d.Settings.Messages.NewerFirst, d.Settings.Messages.NewerMax, m.Item.Hops))
	if at := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && at.After(due) {
		due = at // The attempt was requeued, and is not due yet.
	}
	if end, bounded := attempt.TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded && due.After(end) {
		due = end // The attempt then fails with a total timeout.
	}
	if err := d.Edge.SendAttempt(ctx, d.Queues.OfAttempts(edge.QueueOf(item.Retry)), item, due, now); err != nil {
		return fmt.Errorf("host: could not send attempt %d of activity %q, instance %q, to the activity queue again: %w", item.Attempt, item.Name, item.Instance, err)
	}
	d.Logger.WarnContext(ctx, "attempt was received too often for its queue and is sent there again", "activity", item.Name,
		"instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt, "message_id", m.ID)
	d.Settle(m, "sent_anew")
	return nil
}

// dueOf returns the earliest time at which an item may be processed.
func dueOf(i *wire.Item) (time.Time, bool) {
	switch {
	case i.Kind == wire.TimerFired:
		return time.UnixMilli(i.FireAtMS), true
	case (i.Kind == wire.Wake || i.Kind == wire.PurgeInstance || i.Kind == wire.ActivityPending || i.Kind == wire.ResumeInstance) && i.NotBeforeMS > 0:
		return time.UnixMilli(i.NotBeforeMS), true
	}
	return time.Time{}, false
}

// letIn decodes the payloads of a message. It requeues the message if this process lacks their
// codec, and makes it a dead letter if a payload is damaged.
func (d *Receiver) letIn(ctx context.Context, m *Message) error {
	err := d.Edge.Open(&m.Item)
	switch {
	case err == nil:
		return nil
	case edge.MissesCodec(err):
		d.Logger.WarnContext(ctx, "message is encoded by a codec that this build does not have; it is requeued until a build that has the codec handles it",
			"instance", m.Item.Target(), "message_id", m.ID, "error", err)
		return d.Leave(ctx, m, "codec")
	case delivery.ReasonOf(err) == wire.ReasonTooLarge:
		return d.DeadLetter(ctx, m, wire.ReasonTooLarge, err.Error())
	}
	return d.DeadLetter(ctx, m, wire.ReasonDamaged, err.Error())
}

// clocksDiffer is longer than any clock skew between two processes.
const clocksDiffer = time.Hour

// tooFar returns the problem of an item whose due time is later than any item of its kind can have;
// empty if there is no problem. Without this check the delay queue would requeue the item every 15
// minutes until that time, before any process reads its instance or checks its token.
//
// EventBridge Scheduler delivers a timer when it is due, and not earlier. A message that uses the
// delay queue may arrive early, by at most the longest delay of a queue. The timers of a limit's
// coordinator have no schedules (dispatch.Commit.waitOf).
func (d *Receiver) tooFar(m *Message, due, now time.Time) string {
	i, farthest := &m.Item, delivery.MaxWait
	switch {
	case i.Kind == wire.TimerFired && m.Proven && coordination.IsCoordinator(i.Instance):
	case (i.Kind == wire.TimerFired || i.Kind == wire.ActivityPending || i.Kind == wire.ResumeInstance) && d.Scheduled:
		farthest = queue.MaxDelay + clocksDiffer
	case i.Kind == wire.Wake:
		farthest = d.Settings.Turn.WakeMax + 24*time.Hour
	case i.Kind == wire.PurgeInstance:
		farthest = d.Settings.Purge.Grace + 24*time.Hour
	}
	if !due.After(now.Add(farthest)) {
		return ""
	}
	return fmt.Sprintf("it is due at %s, but Turnstile sends no message that is due more than %s after it arrives; times are milliseconds since 1970",
		due.UTC().Format(time.RFC3339), farthest)
}
