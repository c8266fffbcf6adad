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

// task is a message of the activity queue on its way through Handle.
type task struct {
	queue.Message
	item  wire.Item
	state state
	// back is after how long the message comes again if it is not done.
	back time.Duration
	// visible is when it becomes visible to other workers.
	visible time.Time
	// deleted: this process has deleted it.
	deleted bool
}

// state is how far a message has come.
type state uint8

const (
	// open: it is not done, and goes back.
	open state = iota
	// waits: its attempt is made when no other of the batch runs beside it.
	waits
	// done: all that follows from it was sent; to be acknowledged.
	done
	// lost: it may be another's, and is left to it.
	lost
	// inLine: it waits for a permit, hidden for as long as it has to.
	inLine
)

// about returns the context of what is logged of a message.
func (t *task) about(ctx context.Context) context.Context { return delivery.About(ctx, &t.item) }

func (t *task) key() store.ActivityKey {
	return store.ActivityKey{Instance: t.item.Instance, ExecutionID: t.item.ExecutionID, EventID: t.item.SchedulingEventID}
}

// attrs are what a line of the log says of an attempt, before the attributes.
func attrs(item *wire.Item, more ...any) []any {
	return append([]any{"activity", item.Name, "instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt}, more...)
}

// handle takes one message, and leaves in it how far it has come.
func (w *Worker) handle(ctx context.Context, t *task, alone bool) {
	t.state = open
	t.back = backoff.Grown(w.Settings.Messages.BackoffFirst, w.Settings.Messages.BackoffMax, t.ReceiveCount-1)
	if reason, text := w.read(t); reason != "" {
		w.refuse(t.about(ctx), t, reason, text)
		return
	}
	ctx = t.about(ctx)
	switch err := w.take(ctx, t, alone); {
	case err == nil:
		t.state = done
	case errors.Is(err, errNotAlone):
		t.state = waits
	case errors.Is(err, errInLine):
		t.state = inLine
		w.Observer.Count(host.CountDelayed, delayedForLimit, 1)
	case errors.Is(err, errNotHidden):
		t.state = lost
		w.Observer.Count(host.CountHandedBack, delivery.NotHeld, 1)
		w.Logger.InfoContext(ctx, "attempt not begun: its message may be another's", attrs(&t.item, "error", err)...)
	default:
		if u, ok := errors.AsType[*underWay](err); ok {
			t.back = max(t.back, min(u.until.Sub(w.Clock.Now()), queue.MaxVisibility))
		}
		w.Logger.WarnContext(ctx, "attempt not done, its message goes back", attrs(&t.item, "error", err)...)
		w.Observer.Count(host.CountHandedBack, delivery.Word(err, errNotSent), 1)
	}
}

// read parses a message. A reason says why the attempt cannot run.
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
		return wire.ReasonInvalidField, fmt.Sprintf("it is not to be begun before %s, beyond any delay of a retry", due.UTC().Format(time.RFC3339))
	}
	return "", ""
}

// refuse moves a message that is not an attempt to the activity queue's
// dead-letter queue, from where the orchestrator's handler moves it to the
// final one, with its reason.
func (w *Worker) refuse(ctx context.Context, t *task, reason wire.Reason, text string) {
	if err := delivery.MoveToDead(ctx, w.Queues.ActivityDead, &t.Message, &t.item, reason, text, w.Logger); err != nil {
		w.Logger.WarnContext(ctx, "message not moved", "message_id", t.ID, "error", err)
		return
	}
	t.state = done
	w.Observer.Count(host.CountDeadLettered, string(reason), 1)
}

// renew sends an attempt anew that would go back to the activity queue and has
// spent half of its life there. SQS deletes it at its end, wherever it is by then:
// on its way to a dead-letter queue a message keeps the time at which it was sent
// first
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html).
func (w *Worker) renew(ctx context.Context, t *task) (renewed bool) {
	if t.SentAt.IsZero() || w.Clock.Now().Sub(t.SentAt) <= wire.MaxAge/2 || t.item.Kind == "" {
		return false
	}
	ctx = t.about(ctx)
	body, err := w.edge.Again(&t.item)
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: edge.QueueDelay(t.back)})
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "old message not sent anew", "message_id", t.ID, "instance", t.item.Instance, "error", err)
		return false
	}
	w.Observer.Count(host.CountForwarded, "old", 1)
	return true
}
