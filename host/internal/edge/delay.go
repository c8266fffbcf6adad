package edge

import (
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// QueueDelay returns the delay of a message that is due after rest: whole
// seconds, rounded up so that it does not come early, at most what a queue can
// wait. Who receives it too early sends it round for the rest.
func QueueDelay(rest time.Duration) time.Duration {
	// Bounded first: the longest time.Duration has no room for rounding up.
	rest = min(max(rest, 0), queue.MaxDelay)
	return (rest + time.Second - 1) / time.Second * time.Second
}

// AttemptMessage returns the body of an attempt that is due at a time, and the
// delay with which its message is to be sent. What is due later than a queue can
// wait says so, and goes round.
func (e Edge) AttemptMessage(item wire.Item, due, now time.Time) (body string, delay time.Duration, err error) {
	rest := due.Sub(now)
	item.NotBeforeMS = 0
	if rest > queue.MaxDelay {
		item.NotBeforeMS = due.UnixMilli()
	}
	body, err = e.Again(&item)
	return body, QueueDelay(rest), err
}
