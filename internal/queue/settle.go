package queue

import (
	"context"
	"errors"
	"fmt"
)

// Settle settles a batch as the Lambda event source does with the response of a handler that reports
// partial batch failures: it deletes the messages whose ids are not in failed, and leaves the others,
// which are redelivered when their visibility timeout runs out.
//
// If failed is empty, it deletes all messages. If failed has an id that is not in the batch, or an
// empty one, it deletes none, and the whole batch is redelivered.
//
// It tries to delete every message and joins the errors. A message that could not be deleted is
// redelivered.
func Settle(ctx context.Context, q Queue, batch []Message, failed []string) error {
	back := make(map[string]bool, len(failed))
	for _, id := range failed {
		back[id] = true
	}
	known := 0
	for _, m := range batch {
		if back[m.ID] {
			known++
		}
	}
	if known < len(back) {
		return nil
	}
	var errs []error
	for _, m := range batch {
		if back[m.ID] {
			continue
		}
		if err := q.Delete(ctx, m); err != nil {
			errs = append(errs, fmt.Errorf("queue: could not delete message %s: %w", m.ID, err))
		}
	}
	return errors.Join(errs...)
}
