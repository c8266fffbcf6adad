package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/store"
)

// noteFork notes in the record of an instance that it was forked, so that its forks can be
// listed. Each fork costs one write. It precedes the commit that starts the fork: if the process
// dies between the two, the message remains and starts the fork later. The fork of an instance
// that was purged in the meantime is not noted.
func (a writing) noteFork(ctx context.Context, c *deciding.Commit) error {
	t, of := &c.Turns[0], a.turn.Running.Origin.Record
	if a.turn.Running.Redriven == nil || t.First() > 1 {
		return nil
	}
	for of != nil && !of.Purged && !of.KnowsFork(t.Instance) {
		change := of.Fork(t.Instance, a.settler.Clock.Now())
		err := a.insists(ctx, c, func() error { return a.tables.Store.UpdateRecord(ctx, of.Instance, change) })
		conflict, lost := errors.AsType[*store.RecordConflictError](err)
		switch {
		case lost:
			of = conflict.Found
		case err != nil:
			return fmt.Errorf("host: fork %q not noted in the record of instance %q: %w", t.Instance, of.Instance, err)
		default:
			return nil
		}
	}
	return nil
}
