package inbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Open parses the messages of a batch. Those that are let in are left unsettled: messages of the
// FIFO queue, of which turns are made. Nothing of a group is looked at after a message that could
// not be moved. A start that may restart the instance, and that goes through the delay queue or
// is a dead letter, is deleted before the messages after it are looked at: if this process died,
// they would count for the execution that ends meanwhile, and for the next one too.
func (d *Door) Open(ctx context.Context, deliveries []platform.Delivery) []*Message {
	messages := make([]*Message, len(deliveries))
	broken := map[string]bool{}
	for i, received := range deliveries {
		m := &Message{Delivery: received}
		messages[i] = m
		fifo := received.Source == platform.SourceOrchestrator
		if fifo && broken[received.Group] {
			d.Fail(m, "behind a failure")
			continue
		}
		if err := d.admit(ctx, m); err != nil {
			d.Logger.WarnContext(m.about(ctx), "message not taken", "message_id", m.ID, "error", err)
			word := "queue"
			if errors.Is(err, errKeys) {
				word = "keys"
			}
			d.Fail(m, word)
		}
		if fifo && (m.State == Failed || m.State == Settled && m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.BeginsNext() && !d.gone(ctx, m)) {
			broken[received.Group] = true
		}
	}
	return messages
}

// gone deletes a settled message from the FIFO queue, and reports whether that succeeded.
func (d *Door) gone(ctx context.Context, m *Message) bool {
	err := d.Acknowledge(ctx, []*Message{m})
	if err != nil {
		d.Logger.InfoContext(m.about(ctx), "start that is done is not deleted, the messages after it go back", "message_id", m.ID, "error", err)
	}
	return err == nil
}

// admit reads one message, and forwards or moves it if no turn is to be made of it.
// An error says that this failed, and the message is handed back.
func (d *Door) admit(ctx context.Context, m *Message) error {
	item, err := d.Edge.ParseWrapped(m.Body)
	if err != nil {
		return d.DeadLetter(ctx, m, delivery.ReasonOf(err), d.Edge.Refusal(err))
	}
	m.Item = item.WithID(m.ID)
	ctx = m.about(ctx)
	if why := d.refusedSender(m); why != "" {
		return d.DeadLetter(ctx, m, wire.ReasonSender, why)
	}
	now := d.Clock.Now()
	delivery.Received(&m.Message, &m.Item, now)
	d.Observer.Timing(host.TimeMessageAge, max(m.Item.Age(now), 0))
	if m.Item.Expired(now) {
		return d.DeadLetter(ctx, m, wire.ReasonExpired, delivery.Expiry(&m.Item, now))
	}
	execute := item.Kind == wire.ActivityExecute
	switch {
	case execute && m.Source == platform.SourceActivityDead:
		return d.sendAnew(ctx, m)
	case execute:
		return d.DeadLetter(ctx, m, wire.ReasonMisaddressed, "ActivityExecute belongs on the activity queue")
	case m.Source == platform.SourceActivityDead:
		return d.DeadLetter(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind))
	case item.Kind == wire.InstanceEvent:
		return d.publish(ctx, m)
	}
	due, bounded := dueOf(&m.Item)
	early := bounded && due.After(now)
	if m.Source != platform.SourceOrchestrator && !early {
		return d.forward(ctx, m)
	}
	if n := d.Settings.Messages.RoundReceives; n > 0 && m.ReceiveCount >= n {
		return d.roundInTime(ctx, m)
	}
	if err := d.prove(ctx, m); err != nil || m.State != Unsettled {
		return err
	}
	if early {
		if m.Item.Token != "" && !m.Proven {
			// It would go round until it is due, and be refused then.
			return d.DeadLetter(ctx, m, wire.ReasonForged, fmt.Sprintf("%s for instance %q execution %d: its token is not that of event %d%s",
				m.Item.Kind, m.Item.Instance, m.Item.ExecutionID, m.Item.SourceEventID, MissingKey(d.Keys, m.Item.Token)))
		}
		if problem := d.tooFar(m, due, now); problem != "" {
			return d.DeadLetter(ctx, m, wire.ReasonInvalidField, problem)
		}
		// A clock that was ahead may have taken it for due already.
		return d.SendRound(ctx, m, m.Item, due, "not_due")
	}
	return d.letIn(ctx, m)
}

// sendAnew sends an attempt, which SQS moved to the dead letters of the activity
// queue for its receives, to the activity queue again, with growing delay. Receives
// prove nothing: throttling and outages cost time only. An attempt that kills its
// process is found in another way (store.Suspect).
func (d *Door) sendAnew(ctx context.Context, m *Message) error {
	item := m.Item
	item.Hops++
	now := d.Clock.Now()
	due := now.Add(backoff.Grown(d.Settings.Messages.NewerFirst, d.Settings.Messages.NewerMax, m.Item.Hops))
	if at := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && at.After(due) {
		due = at // It was on its rounds, and is not due yet.
	}
	if end, bounded := attempt.TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded && due.After(end) {
		due = end // Then it fails for that.
	}
	if err := d.Edge.SendAttempt(ctx, d.Queues.OfAttempts(edge.QueueOf(item.Retry)), item, due, now); err != nil {
		return fmt.Errorf("host: attempt %d of activity %q, instance %q, not sent to the activity queue again: %w", item.Attempt, item.Name, item.Instance, err)
	}
	d.Logger.WarnContext(ctx, "attempt was received too often for its queue, and is sent there again", "activity", item.Name,
		"instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt, "message_id", m.ID)
	d.Settle(m, "sent_anew")
	return nil
}

// dueOf returns before when an item must not be taken.
func dueOf(i *wire.Item) (time.Time, bool) {
	switch {
	case i.Kind == wire.TimerFired:
		return time.UnixMilli(i.FireAtMS), true
	case (i.Kind == wire.Wake || i.Kind == wire.PurgeInstance || i.Kind == wire.ActivityPending || i.Kind == wire.ResumeInstance) && i.NotBeforeMS > 0:
		return time.UnixMilli(i.NotBeforeMS), true
	}
	return time.Time{}, false
}

// letIn makes a message's payloads plain. A payload that is sealed by a codec
// which this process does not have goes round; a damaged one makes its message a
// dead letter.
func (d *Door) letIn(ctx context.Context, m *Message) error {
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

// clocksDiffer is more than the clocks of two processes may differ by.
const clocksDiffer = time.Hour

// tooFar says what is wrong with an item that is due later than any of its kind
// can be; empty if nothing is. It would go round the delay queue every 15 minutes
// until then, before anybody looks at its instance or its token.
//
// EventBridge Scheduler delivers a firing when it is due, and not before. A
// message through the delay queue may come early, by the longest delay of a
// queue at most. The timers of a gate have no schedules (dispatch.Commit.waitOf).
func (d *Door) tooFar(m *Message, due, now time.Time) string {
	i, farthest := &m.Item, delivery.MaxWait
	switch {
	case i.Kind == wire.TimerFired && m.Proven && gating.IsGate(i.Instance):
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
	return fmt.Sprintf("it is due at %s, and none that Turnstile sends is due later than %s after it comes; times are milliseconds since 1970",
		due.UTC().Format(time.RFC3339), farthest)
}
