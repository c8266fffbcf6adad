package reading

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// Corrupt reports whether what is stored can't be a history.
func Corrupt(err error) bool {
	if err == nil {
		return false // without looking: this is asked behind each read
	}
	var stored *store.CorruptError
	var structure *engine.CorruptionError
	return errors.As(err, &stored) || errors.As(err, &structure)
}

// CorruptEvent is the event that is damaged; 0 if that is not known.
func CorruptEvent(err error) int64 {
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

// missing returns what a history lacks that the record, read before it, says is
// there; nil if it lacks nothing: any event at all, the end of an execution that
// another has followed or of an instance that has ended, or what a hole is made
// of. What a purge has deleted is not judged.
func (v *View) missing(execution int64, turns []store.Turn, err error) *store.CorruptError {
	r := v.Record
	if !v.Described || r == nil || !holds(r, execution) {
		return nil
	}
	if err != nil {
		if hole, ok := errors.AsType[*store.CorruptError](err); ok && hole.Unconfirmed {
			return hole
		}
		return nil
	}
	lacks := &store.CorruptError{Instance: v.Instance, ExecutionID: execution, EventID: 1, Unconfirmed: true,
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

// Confirm looks whether an event that a read did not find is there. A record and
// a history are two reads, and a Query may meet a transaction in the middle: only
// a read that is isolated from transactions tells what is lost from what was about
// to be there. store.ErrConflict if nothing is lost; a *store.CorruptError that is
// confirmed if the event is.
func (v *View) Confirm(ctx context.Context, lacks *store.CorruptError) error {
	at, err := v.source.Store.ReadIsolated(ctx, v.Instance, lacks.ExecutionID, lacks.EventID)
	if err != nil {
		return fmt.Errorf("host: event %d of instance %q execution %d, which was not found, was not looked for again: %w", lacks.EventID, v.Instance, lacks.ExecutionID, err)
	}
	if at.Stored || at.Record == nil || !holds(at.Record, lacks.ExecutionID) {
		return fmt.Errorf("host: instance %q execution %d was changed at event %d while it was read: %w", v.Instance, lacks.ExecutionID, lacks.EventID, store.ErrConflict)
	}
	confirmed := *lacks
	confirmed.Unconfirmed = false
	return &confirmed
}

// Unmoved looks whether nothing stands behind what was read of an execution, whose next
// event this is: store.ErrConflict if something does. It is for who is about to do what
// no commit of its own would refuse.
func (v *View) Unmoved(ctx context.Context, execution, next int64) error {
	at, err := v.source.Store.ReadIsolated(ctx, v.Instance, execution, next)
	if err == nil && at.Stored {
		err = store.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("host: instance %q execution %d has to be known up to event %d: %w", v.Instance, execution, next, err)
	}
	return nil
}
