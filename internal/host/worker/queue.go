package worker

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// elsewhere returns the answer for an attempt that belongs to a queue other than this worker's; nil if it belongs here.
// The orchestrator sends an attempt here if it does not know the attempt's queue. The attempt is requeued until a worker
// knows the queue and forwards it. An attempt that names no queue runs on any worker.
func (w *Worker) elsewhere(ctx context.Context, item *wire.Item, now time.Time) *answer {
	if item.Retry == nil || item.Retry.Queue == "" || item.Retry.Queue == w.Queue || w.Queue == AnyQueue {
		return nil
	}
	if w.Queues.Named != nil && w.Queues.Named(item.Retry.Queue) != nil {
		a := again(item, now, now, "other_queue")
		a.forward = true
		return a
	}
	w.Logger.WarnContext(ctx, "no worker serves the queue of the activity; its attempt is requeued until one does", attrs(item, "queue", item.Retry.Queue)...)
	return w.requeued(item, now, notServed)
}

// notServed counts attempts whose queue no worker serves.
const notServed = "not_served"
