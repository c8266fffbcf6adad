package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Comeback sets after which time messages that are handed back are delivered again.
// Without it that would be the queue's whole visibility timeout; so a failure here
// costs only time.
type Comeback []returned

// returned are messages of one queue that come again after the same time.
type returned struct {
	to       queue.Queue
	after    time.Duration
	messages []queue.Message
	items    []*wire.Item
}

// Word is the reason under which a message that goes back is counted; unsent is what
// errors of sending what follows from it wrap.
func Word(err, unsent error) string {
	switch {
	case errors.Is(err, store.ErrUnknownOutcome):
		return "unknown outcome"
	case errors.Is(err, store.ErrUnavailable):
		return "store unavailable"
	case errors.Is(err, unsent):
		return "dispatch"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "no time"
	}
	return "error"
}

// Add has a message of a queue come again after that time.
func (c *Comeback) Add(q queue.Queue, m *queue.Message, item *wire.Item, after time.Duration) {
	for i := range *c {
		if r := &(*c)[i]; r.to == q && r.after == after {
			r.messages, r.items = append(r.messages, *m), append(r.items, item)
			return
		}
	}
	*c = append(*c, returned{q, after, []queue.Message{*m}, []*wire.Item{item}})
}

// Send sets when they come. An error is only logged.
func (c Comeback) Send(ctx context.Context, log func(context.Context, string, ...any)) {
	for _, r := range c {
		err := r.to.SetVisibility(ctx, r.after, r.messages...)
		for i := range r.messages {
			if err := queue.ErrorOf(err, i); err != nil {
				log(About(ctx, r.items[i]), "visibility of a message handed back not set", "message_id", r.messages[i].ID, "error", err)
			}
		}
	}
}
