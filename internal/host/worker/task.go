package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// task is a message of the activity queue that Handle processes.
type task struct {
	queue.Message
	item  wire.Item
	state state
	// back is the delay before the message becomes visible again if it is not acknowledged.
	back time.Duration
	// visible is when the message becomes visible to other workers.
	visible time.Time
	// deleted is set if this process has deleted the message.
	deleted bool
	// batch is the batch in which the message arrived.
	batch *batch
}

// state is the state of a message in its batch.
type state uint8

const (
	// open means that the message is not done, and returns to the queue.
	open state = iota
	// waits means that the attempt runs when no other attempt of the batch is running.
	waits
	// done means that the answer was sent, so the message can be acknowledged.
	done
	// lost means that another process may hold the message, so this process does not touch it.
	lost
	// parked means that the message is hidden while its attempt waits for a permit.
	parked
)

// logContext returns the context for log lines about a message.
func (t *task) logContext(ctx context.Context) context.Context {
	return delivery.LogContext(ctx, &t.item)
}

func (t *task) key() store.ActivityKey {
	return store.ActivityKey{Instance: t.item.Instance, ExecutionID: t.item.ExecutionID, EventID: t.item.SchedulingEventID}
}

// attrs returns the log attributes of an attempt, followed by more.
func attrs(item *wire.Item, more ...any) []any {
	return append([]any{"activity", item.Name, "instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt}, more...)
}

// handle processes one message and sets its state.
func (w *Worker) handle(ctx context.Context, t *task, alone bool) {
	t.state = open
	t.back = backoff.Grown(w.Settings.Messages.BackoffFirst, w.Settings.Messages.BackoffMax, t.ReceiveCount-1)
	if reason, text := w.read(t); reason != "" {
		w.refuse(t.logContext(ctx), t, reason, text)
		return
	}
	ctx = t.logContext(ctx)
	switch err := w.take(ctx, t, alone); {
	case err == nil:
		t.state = done
	case errors.Is(err, errNotAlone):
		t.state = waits
	case errors.Is(err, errParked):
		t.state = parked
		w.Observer.Count(host.CountDelayed, delayedForLimit, 1)
	case errors.Is(err, errNotHidden):
		t.state = lost
		w.Observer.Count(host.CountReturned, delivery.NotHeld, 1)
		w.Logger.InfoContext(ctx, "attempt not started: another process may hold its message", attrs(&t.item, "error", err)...)
	default:
		if u, ok := errors.AsType[*underWay](err); ok {
			t.back = max(t.back, min(u.until.Sub(w.Clock.Now()), queue.MaxVisibility))
		}
		w.Logger.WarnContext(ctx, "attempt not finished; its message returns to the queue", attrs(&t.item, "error", err)...)
		w.Observer.Count(host.CountReturned, delivery.Word(err, errNotSent), 1)
		if w.returnsOften(t) {
			w.Observer.Count(host.CountHeldUp, "returning", 1)
		}
	}
}

// returnsOften reports whether a message that returns to the queue must be reported to operators. That is the case if
// it was received often, or if it is old and was received a few times, because receives are 16 minutes apart if the
// delay cannot be set. An attempt with a limit is exempt because it is received often while it waits for a permit.
func (w *Worker) returnsOften(t *task) bool {
	if r := t.item.Retry; r != nil && (r.Limit > 0 || r.Rate > 0) {
		return false
	}
	return t.ReceiveCount >= delivery.ReturnedOften || t.ReceiveCount > 3 && t.item.Age(w.Clock.Now()) >= delivery.HeldUp
}

// read parses a message. If the attempt cannot run, reason and text say why.
func (w *Worker) read(t *task) (reason wire.Reason, text string) {
	item, err := w.edge.Parse(t.Body)
	t.item = item
	switch {
	case err != nil:
		return delivery.ReasonOf(err), w.edge.Refusal(err)
	case item.Kind != wire.ActivityExecute:
		return wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind)
	}
	now := w.Clock.Now()
	delivery.Received(&t.Message, &t.item, now)
	w.Observer.Timing(host.TimeMessageAge, max(t.item.Age(now), 0))
	switch due := time.UnixMilli(t.item.NotBeforeMS); {
	case t.item.Expired(now):
		return wire.ReasonExpired, delivery.Expiry(&t.item, now)
	case due.After(now.Add(delivery.MaxWait)):
		return wire.ReasonInvalidField, fmt.Sprintf("the attempt is due only at %s, later than any retry can be", due.UTC().Format(time.RFC3339))
	}
	return "", ""
}

// refuse moves a message that is not an attempt to the dead-letter queue of the activity queue. From there the
// orchestrator's handler moves it to the final dead-letter queue, with the reason.
func (w *Worker) refuse(ctx context.Context, t *task, reason wire.Reason, text string) {
	if err := delivery.MoveToDead(ctx, w.Queues.ActivityDead, &t.Message, &t.item, reason, text, w.Logger); err != nil {
		w.Logger.WarnContext(ctx, "could not move the message to the dead-letter queue", "message_id", t.ID, "error", err)
		return
	}
	t.state = done
	w.Observer.Count(host.CountDeadLettered, string(reason), 1)
}

// renew replaces a message that would return to the activity queue although half of its retention
// has passed. SQS deletes a message at the end of its retention, whichever queue the message is in,
// because a message that SQS moves to a dead-letter queue keeps the time at which it was first sent
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html).
func (w *Worker) renew(ctx context.Context, t *task) (renewed bool) {
	if t.SentAt.IsZero() || w.Clock.Now().Sub(t.SentAt) <= wire.MaxAge/2 || t.item.Kind == "" {
		return false
	}
	ctx = t.logContext(ctx)
	body, err := w.edge.Again(&t.item)
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: edge.QueueDelay(t.back)})
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "could not replace an old message", "message_id", t.ID, "instance", t.item.Instance, "error", err)
		return false
	}
	w.Observer.Count(host.CountForwarded, "old", 1)
	return true
}
