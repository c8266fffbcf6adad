package worker

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// elsewhere is what is sent in place of an attempt that belongs to another queue than
// the one of this worker; nil if it belongs here. The orchestrator sends an attempt here
// whose queue it does not know: it goes round until somebody does, and on to its queue
// then. One that names no queue is made wherever it comes.
func (w *Worker) elsewhere(ctx context.Context, item *wire.Item, now time.Time) *answer {
	if item.Retry == nil || item.Retry.Queue == "" || item.Retry.Queue == w.Queue || w.Queue == AnyQueue {
		return nil
	}
	if w.Queues.Named != nil && w.Queues.Named(item.Retry.Queue) != nil {
		a := w.again(item, now, now, "other_queue")
		a.forward = true
		return a
	}
	w.Logger.WarnContext(ctx, "nobody serves the queue of the activity; its attempt goes round until somebody does", attrs(item, "queue", item.Retry.Queue)...)
	return w.round(item, now, notServed)
}

// notServed counts attempts whose queue no worker serves.
const notServed = "not_served"
