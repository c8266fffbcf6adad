package queue

import (
	"context"
	"errors"
	"fmt"
)

// Settle does with a batch what the Lambda event source does with the answer
// of a handler that reports partial batch failures: it deletes the messages
// whose ids are not in failed, and leaves the others, which come back when
// their visibility runs out.
//
// An empty failed deletes all. An id that the batch does not have, an empty
// one too, brings the whole batch back: nothing is deleted.
//
// Every message that is to be deleted is tried; the errors are joined. One
// that could not be deleted comes back, as a redelivery.
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
			errs = append(errs, fmt.Errorf("queue: message %s not deleted: %w", m.ID, err))
		}
	}
	return errors.Join(errs...)
}
