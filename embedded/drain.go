package embedded

import (
	"context"

	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
)

// Drain returns when no message is due and no instance is running; stuck instances do not count.
// Call it while Run is running. An instance that waits for an event that is never raised counts as
// running; Drain then returns when ctx ends, with its error.
func (e *Runtime) Drain(ctx context.Context) error {
	var received []*memoryqueue.Queue
	for _, s := range e.sources() {
		received = append(received, s.Queue)
	}
	for {
		// Created before the check, so that no change is missed.
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
