package embedded

import (
	"context"

	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
)

// Drain returns once nothing is queued for now and no instance is running,
// stuck ones aside; Run must be under way. An instance that waits for an event that
// does not come runs: then it returns when ctx ends, with its error.
func (e *Runtime) Drain(ctx context.Context) error {
	var received []*memoryqueue.Queue
	for _, s := range e.sources() {
		received = append(received, s.Queue)
	}
	for {
		// Asked for before the look, so that no change falls in between.
		ended := e.gauge.ended.wait()
		if e.gauge.idle(received) {
			page, err := e.store.List(ctx, store.ListQuery{Status: store.StatusRunning, PageSize: 1})
			if err != nil {
				return err
			}
			if len(page.Records) == 0 {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
		}
	}
}
