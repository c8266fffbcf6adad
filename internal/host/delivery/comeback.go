package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Comeback sets when returned messages are redelivered. If that fails, the messages are redelivered
// after the whole visibility timeout of the queue, so a failure only costs time.
type Comeback []returned

// returned has messages of one queue that are redelivered after the same delay.
type returned struct {
	to       queue.Queue
	after    time.Duration
	messages []queue.Message
	items    []*wire.Item
}

// Word returns the reason under which a returned message is counted. Errors of sending what the
// message caused wrap unsent.
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

// Add returns a message to its queue, to be redelivered after the given delay.
func (c *Comeback) Add(q queue.Queue, m *queue.Message, item *wire.Item, after time.Duration) {
	for i := range *c {
		if r := &(*c)[i]; r.to == q && r.after == after {
			r.messages, r.items = append(r.messages, *m), append(r.items, item)
			return
		}
	}
	*c = append(*c, returned{q, after, []queue.Message{*m}, []*wire.Item{item}})
}

// Send sets the visibility timeouts. An error is only logged.
func (c Comeback) Send(ctx context.Context, log func(context.Context, string, ...any)) {
	for _, r := range c {
		err := r.to.SetVisibility(ctx, r.after, r.messages...)
		for i := range r.messages {
			if err := queue.ErrorOf(err, i); err != nil {
				log(LogContext(ctx, r.items[i]), "could not set the visibility timeout of a returned message", "message_id", r.messages[i].ID, "error", err)
			}
		}
	}
}
