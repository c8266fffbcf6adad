package host

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/store"
)

// confirmRecovery looks behind a recovery that left no event. The history's
// conditional write did not show whether another process, with the broken code
// still, had parked one more arrival since the history was read; the mark on
// which that arrival relied is gone. Then the turn is made again, and answers
// it. What would be parked from now on loses by the wake number.
func (t *turn) confirmRecovery(ctx context.Context, d *draft) error {
	if d.outcome != outcomeRecovered {
		return nil
	}
	turns, err := t.Store.Read(ctx, t.group.instance, t.execution, t.x.LastEventID()+1)
	if err != nil && !corrupt(err) {
		return fmt.Errorf("host: history of instance %q execution %d behind its recovery: %w", t.group.instance, t.execution, err)
	}
	if err != nil {
		return fmt.Errorf("host: instance %q execution %d has events behind its recovery that can't be read: %w", t.group.instance, t.execution, store.ErrConflict)
	}
	if len(turns) > 0 {
		return fmt.Errorf("host: event %d of instance %q execution %d was parked while it recovered: %w",
			turns[0].First(), t.group.instance, t.execution, store.ErrConflict)
	}
	return nil
}
