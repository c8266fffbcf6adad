package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/store"
)

// noteFork notes in the record of an instance that it is forked, so that whoever looks at it
// finds its forks: one write a fork, and nothing for an instance that nobody forks. It comes ahead of
// the commit that begins the fork, because a process that dies between the two leaves a message
// that begins the fork later. Of an instance that was purged meanwhile nobody looks for forks.
func (a *attempt) noteFork(ctx context.Context, c *deciding.Commit) error {
	t, d := &c.Turns[0], a.turn.Running.Redriven
	if d == nil || t.First() > 1 {
		return nil
	}
	of := d.Of
	for of != nil && !of.Purged && !of.KnowsFork(t.Instance) {
		change := of.Fork(t.Instance, a.desk.Clock.Now())
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
