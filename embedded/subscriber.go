package embedded

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// subscriber publishes events about instances by calling a function.
type subscriber func(context.Context, host.InstanceEvent) error

// Publish implements publishing.Publisher.
func (f subscriber) Publish(ctx context.Context, events []host.InstanceEvent) error {
	failed := map[int]error{}
	for i := range events {
		err := ctx.Err()
		if err == nil {
			err = f.call(ctx, events[i])
		}
		if err != nil {
			failed[i] = err
		}
	}
	return queue.Partial(failed, len(events))
}

func (f subscriber) call(ctx context.Context, e host.InstanceEvent) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("embedded: the function of WithInstanceEvents panicked at %q of instance %q: %v", e.Type, e.Instance, r)
		}
	}()
	return f(ctx, e)
}
