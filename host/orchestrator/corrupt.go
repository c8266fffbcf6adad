package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/edge"
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

// corrupted handles a history that is damaged. Nothing is written to it: the record
// is marked, and the messages become dead letters that name the event. The next
// message looks again, so that a history that was restored goes on by itself.
func (t *turn) corrupted(ctx context.Context, cause error) error {
	if !t.described {
		// It was read without its record: a purged instance shows a history
		// that is half deleted.
		return errRebuild
	}
	if stored, ok := errors.AsType[*store.CorruptError](cause); ok && stored.Unconfirmed {
		if err := t.confirm(ctx, stored); !corrupt(err) {
			return err
		}
	}
	t.Observer.Count(host.CountCorrupt, "history", 1)
	t.Logger.ErrorContext(ctx, "history is corrupt", "instance", t.group.instance, "event_id", corruptEvent(cause), "error", cause)
	if r := t.record; r != nil && !r.Status.Terminal() && !r.Purged {
		status := store.StatusCorrupt
		problem := &store.Problem{Kind: store.ProblemCorrupt, Message: edge.Cut(cause.Error(), maxProblemMessage), EventID: corruptEvent(cause), SinceMS: t.Clock.Now().UnixMilli()}
		read, next := r.Stamp, r.Stamp+1
		change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read},
			Status: &status, Problem: &problem, Stamp: &next, UpdatedAt: t.Clock.Now()}
		if err := t.Store.UpdateRecord(ctx, t.group.instance, change); err != nil {
			return fmt.Errorf("host: instance %q not marked corrupt: %w", t.group.instance, err)
		}
		t.changed(&change)
		t.Observer.ProblemChanged(host.ProblemChange{Instance: t.group.instance, ExecutionID: r.ExecutionID, At: t.Clock.Now(), Problem: problem})
	}
	for _, m := range t.group.open() {
		var err error
		switch {
		case m.Item.Kind == wire.PurgeInstance && (m.Item.Force || m.Item.UpToExecution > 0 || t.record != nil && t.record.Status.Terminal()):
			if err = t.purge(ctx, m); err == nil && t.held() {
				return t.withoutExecution(ctx)
			}
		case m.Item.Kind == wire.Wake && m.Item.Number > 0:
			t.Settle(m, "obsolete_wake")
		default:
			err = t.DeadLetter(ctx, m, wire.ReasonCorrupt, fmt.Sprintf("event %d: %v", corruptEvent(cause), cause))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missing returns what a history lacks that the record, read before it, says is
// there; nil if it lacks nothing: any event at all, the end of an execution that
// another has followed or of an instance that has ended, or what a hole is made
// of. What a purge has deleted is not judged.
func (t *turn) missing(execution int64, turns []store.Turn, err error) *store.CorruptError {
	r := t.record
	if !t.described || r == nil || !holds(r, execution) {
		return nil
	}
	if err != nil {
		if hole, ok := errors.AsType[*store.CorruptError](err); ok && hole.Unconfirmed {
			return hole
		}
		return nil
	}
	lacks := &store.CorruptError{Instance: t.group.instance, ExecutionID: execution, EventID: 1, Unconfirmed: true,
		Reason: fmt.Sprintf("the record is at execution %d, and execution %d has no history", r.ExecutionID, execution)}
	if len(turns) == 0 {
		return lacks
	}
	last := &turns[len(turns)-1]
	if last.Events[len(last.Events)-1].Kind.Terminal() || execution == r.ExecutionID && !r.Status.Terminal() {
		return nil
	}
	lacks.EventID = last.Last() + 1
	lacks.Reason = fmt.Sprintf("the record is at execution %d, %s, and the history of execution %d has no end", r.ExecutionID, r.Status, execution)
	return lacks
}

// holds reports whether an execution belongs to what the record is of: not to what
// was purged under its id before.
func holds(r *store.Record, execution int64) bool {
	return !r.Purged && execution <= r.ExecutionID && (execution == r.ExecutionID || r.FirstExecution > 0 && execution >= r.FirstExecution)
}

// confirm looks whether an event that a read did not find is there. A record and
// a history are two reads, and a Query may meet a transaction in the middle: only
// a read that is isolated from transactions tells what is lost from what was about
// to be there. store.ErrConflict if nothing is lost; a *store.CorruptError that is
// confirmed if the event is.
func (t *turn) confirm(ctx context.Context, lacks *store.CorruptError) error {
	at, err := t.Store.ReadIsolated(ctx, t.group.instance, lacks.ExecutionID, lacks.EventID)
	if err != nil {
		return fmt.Errorf("host: event %d of instance %q execution %d, which was not found, was not looked for again: %w", lacks.EventID, t.group.instance, lacks.ExecutionID, err)
	}
	if at.Stored || at.Record == nil || !holds(at.Record, lacks.ExecutionID) {
		return fmt.Errorf("host: instance %q execution %d was changed at event %d while it was read: %w", t.group.instance, lacks.ExecutionID, lacks.EventID, store.ErrConflict)
	}
	confirmed := *lacks
	confirmed.Unconfirmed = false
	return &confirmed
}
