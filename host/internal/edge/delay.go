package edge

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// QueueDelay returns the delay of a message that is due after rest: whole
// seconds, rounded up so that it does not come early, at most what a queue can
// wait. A receiver that gets it too early sends it round for the rest.
func QueueDelay(rest time.Duration) time.Duration {
	// Bounded first: the longest time.Duration has no room for rounding up.
	rest = min(max(rest, 0), queue.MaxDelay)
	return (rest + time.Second - 1) / time.Second * time.Second
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
