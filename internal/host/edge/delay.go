package edge

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/queue"
)

// QueueDelay returns the delay of a message that is due after rest: at most what a
// queue can wait. A queue with a coarser grain rounds up. A receiver that gets it too
// early sends it round for the rest.
func QueueDelay(rest time.Duration) time.Duration {
	return min(max(rest, 0), queue.MaxDelay)
}

// SendAttempt sends the message of an attempt that is due at a time to the activity
// queue. What is due later than a queue can wait says so, and goes round.
func (e Edge) SendAttempt(ctx context.Context, to queue.Queue, item wire.Item, due, now time.Time) error {
	rest := due.Sub(now)
	item.NotBeforeMS = 0
	if rest > queue.MaxDelay {
		item.NotBeforeMS = due.UnixMilli()
	}
	body, err := e.Again(&item)
	if err != nil {
		return err
	}
	return to.Send(ctx, queue.Outgoing{Body: body, Delay: QueueDelay(rest)})
}
