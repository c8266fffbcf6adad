package embedded

import (
	"context"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// watchedDeadLetters calls a function for each message that the host moves to a dead-letter queue.
type watchedDeadLetters struct {
	queue.Queue
	tell func(host.DeadLetter)
}

func (q watchedDeadLetters) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := q.Queue.Send(ctx, msgs...); err != nil {
		return err
	}
	for _, m := range msgs {
		q.tell(host.DeadLetter{Body: m.Body, Reason: m.Attributes[wire.ReasonAttribute]})
	}
	return nil
}
