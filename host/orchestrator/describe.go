package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/store"
)

// describe reads the record.
func (t *turn) describe(ctx context.Context) error {
	err := t.View.Describe(ctx, t.x != nil)
	if edge.MissesCodec(err) && t.Record.Status.Terminal() && t.group.onlyPurges() {
		return nil // What has ended can be purged without the key of its output.
	}
	return err
}

// describeOnce reads the record, unless this turn has read it.
func (t *turn) describeOnce(ctx context.Context) error {
	if t.Described {
		return nil
	}
	return t.describe(ctx)
}

// change changes the record alone.
func (t *turn) change(ctx context.Context, c store.RecordChange) error {
	err := t.Store.UpdateRecord(ctx, t.Instance, c)
	if err == nil {
		t.Changed(&c)
	}
	return err
}

// currentRecord reads the record again if it may be older than the history that
// the turn goes by: another process may have changed both between the two reads.
// store.ErrConflict if more has changed than what the history gave.
func (t *turn) currentRecord(ctx context.Context) error {
	if t.Current {
		return nil
	}
	before, known := t.Record, t.Described
	if err := t.describe(ctx); err != nil {
		return err
	}
	r := t.Record
	if t.warm && t.Problem() != nil {
		return errRebuild // Who took it out of the cache did not know.
	}
	if !known || before == nil {
		return nil
	}
	if r == nil || r.Purged || r.ExecutionID != before.ExecutionID || r.Stamp != before.Stamp ||
		r.Status.Terminal() != before.Status.Terminal() || (r.Problem == nil) != (before.Problem == nil) {
		return fmt.Errorf("host: the record of instance %q execution %d was changed while it was read: %w", t.Instance, before.ExecutionID, store.ErrConflict)
	}
	return nil
}
