package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// corrupted handles a history that is damaged. Nothing is written to it: the record
// is marked, and the messages become dead letters that name the event. The next
// message looks again, so that a history that was restored goes on by itself.
func (t *turn) corrupted(ctx context.Context, cause error) error {
	if !t.Described {
		// It was read without its record: a purged instance shows a history
		// that is half deleted.
		return errRebuild
	}
	if stored, ok := errors.AsType[*store.CorruptError](cause); ok && stored.Unconfirmed {
		if err := t.Confirm(ctx, stored); !reading.Corrupt(err) {
			return err
		}
	}
	t.corrupt = true
	t.Observer.Count(host.CountCorrupt, "history", 1)
	t.Logger.ErrorContext(ctx, "history is corrupt", "instance", t.Instance, "event_id", reading.CorruptEvent(cause), "error", cause)
	if r := t.Record; r != nil && !r.Status.Terminal() && !r.Purged {
		status := store.StatusCorrupt
		problem := &store.Problem{Kind: store.ProblemCorrupt, Message: edge.Cut(cause.Error(), maxProblemMessage), EventID: reading.CorruptEvent(cause), SinceMS: t.Clock.Now().UnixMilli()}
		read, next := r.Stamp, r.Stamp+1
		change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read},
			Status: &status, Problem: &problem, Stamp: &next, UpdatedAt: t.Clock.Now()}
		if err := t.change(ctx, change); err != nil {
			return fmt.Errorf("host: instance %q not marked corrupt: %w", t.Instance, err)
		}
		t.Observer.ProblemChanged(host.ProblemChange{Instance: t.Instance, ExecutionID: r.ExecutionID, At: t.Clock.Now(), Problem: problem})
	}
	for _, m := range t.group.open() {
		var err error
		switch {
		case m.Item.Kind == wire.PurgeInstance && (m.Item.Force || m.Item.UpToExecution > 0 || t.Record != nil && t.Record.Status.Terminal()):
			if err = t.purge(ctx, m); err == nil && t.Held() {
				return t.withoutExecution(ctx)
			}
		case m.Item.Kind == wire.Wake && m.Item.Number > 0:
			t.Settle(m, "obsolete_wake")
		default:
			err = t.DeadLetter(ctx, m, wire.ReasonCorrupt, fmt.Sprintf("event %d: %v", reading.CorruptEvent(cause), cause))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
