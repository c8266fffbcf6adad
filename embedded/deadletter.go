package embedded

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// DeadLetter is a message that was moved to a dead-letter queue.
type DeadLetter struct {
	// Body as it was sent.
	Body string
	// Reason in a word, a colon and a text for people.
	Reason string
}

// watchedDeadLetters tells of what the host moves to a dead-letter queue.
type watchedDeadLetters struct {
	queue.Queue
	tell func(DeadLetter)
}

func (q watchedDeadLetters) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := q.Queue.Send(ctx, msgs...); err != nil {
		return err
	}
	for _, m := range msgs {
		q.tell(DeadLetter{Body: m.Body, Reason: m.Attributes[wire.ReasonAttribute]})
	}
	return nil
}
