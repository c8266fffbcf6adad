package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// corrupt reports whether what is stored can't be a history.
func corrupt(err error) bool {
	if err == nil {
		return false // without looking: this is asked behind each read
	}
	var stored *store.CorruptError
	var structure *engine.CorruptionError
	return errors.As(err, &stored) || errors.As(err, &structure)
}

func corruptEvent(err error) int64 {
	var stored *store.CorruptError
	if errors.As(err, &stored) {
		return stored.EventID
	}
	var structure *engine.CorruptionError
	if errors.As(err, &structure) {
		return structure.EventID
	}
	return 0
}

// corrupted: nothing is written to the history. The record is marked, and the
// messages become dead letters that name the event. The next message looks
// again, so that a history that was restored goes on by itself.
func (t *turn) corrupted(ctx context.Context, cause error) error {
	if !t.described {
		// It was read without its record: a purged instance shows a history
		// that is half deleted.
		return errRebuild
	}
	if before := t.record; before != nil {
		// Its history may have been deleted since the record was read.
		if err := t.describe(ctx); err != nil {
			return err
		}
		if now := t.record; now == nil || now.Purged != before.Purged || now.ExecutionID != before.ExecutionID {
			return errRebuild
		}
	}
	t.Observer.Count(CountCorrupt, "history", 1)
	t.Logger.ErrorContext(ctx, "history is corrupt", "instance", t.group.instance, "event_id", corruptEvent(cause), "error", cause)
	if r := t.record; r != nil && !r.Status.Terminal() && !r.Purged {
		status := store.StatusCorrupt
		problem := &store.Problem{Kind: problemCorrupt, Message: cut(cause.Error(), maxProblemMessage), EventID: corruptEvent(cause), SinceMS: t.Clock.Now().UnixMilli()}
		none := int64(0)
		change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID},
			Status: &status, Problem: &problem, WakeNumber: &none, UpdatedAt: t.Clock.Now()}
		if err := t.Store.UpdateRecord(ctx, t.group.instance, change); err != nil {
			return fmt.Errorf("host: instance %q not marked corrupt: %w", t.group.instance, err)
		}
		t.changed(&change)
	}
	open := t.group.open()
	for i, m := range open {
		var err error
		switch {
		case m.item.Kind == wire.PurgeInstance && (m.item.Force || m.item.UpToExecution > 0 || t.record != nil && t.record.Status.Terminal()):
			if err = t.purge(ctx, m); err == nil {
				err = t.afterPurge(m, open[i+1:])
			}
		case m.item.Kind == wire.Wake && m.item.Number > 0:
			t.settle(m, "obsolete_wake")
		default:
			err = t.deadLetter(ctx, m, wire.ReasonCorrupt, fmt.Sprintf("event %d: %v", corruptEvent(cause), cause))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
