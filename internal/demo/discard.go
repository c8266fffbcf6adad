package demo

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// discard is the queue of a world that does not continue.
type discard struct{}

func (discard) Send(context.Context, ...queue.Outgoing) error { return nil }
func (discard) Receive(ctx context.Context, _ int, _ time.Duration) ([]queue.Message, error) {
	return nil, ctx.Err()
}
func (discard) Delete(context.Context, queue.Message) error                          { return nil }
func (discard) SetVisibility(context.Context, time.Duration, ...queue.Message) error { return nil }
func (discard) FIFO() bool                                                           { return true }
