package orchestrator

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// old reports whether a message has spent half of its life on a standard queue.
// SQS deletes it at its end, wherever it is by then: on its way to a dead-letter
// queue a message keeps the time at which it was sent first
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html).
func old(m *message, now time.Time) bool {
	return m.Source != host.SourceOrchestrator && !m.SentAt.IsZero() && now.Sub(m.SentAt) > wire.MaxAge/2 && m.item.Kind != ""
}

// renew sends an attempt anew that would go back to the activity queue and is
// old.
func (w *Worker) renew(ctx context.Context, m *message, back time.Duration) {
	body, err := w.edge.Again(&m.item)
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: edge.QueueDelay(back)})
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "old message not sent anew", "message_id", m.ID, "instance", m.item.Instance, "error", err)
		return
	}
	w.Observer.Count(host.CountForwarded, "old", 1)
	m.state = settled
}
