package reading

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// Corrupt reports whether an error means that the stored history is damaged.
func Corrupt(err error) bool {
	if err == nil {
		return false // fast path: this is called after each read
	}
	var stored *store.CorruptError
	var structure *engine.CorruptionError
	return errors.As(err, &stored) || errors.As(err, &structure)
}

// CorruptEvent returns the damaged event; 0 if it is not known.
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

// missing returns an error if a history lacks events that exist according to the record, which was
// read first; nil otherwise. A history can lack all its events, the events in a gap, or the final
// event of an execution that has ended. Events that a purge deleted are not checked.
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

// holds reports whether an execution belongs to the instance that the record describes, and not to
// an earlier instance with the same id that was purged.
func holds(r *store.Record, execution int64) bool {
	return !r.Purged && r.Status != store.StatusForking && !slices.Contains(r.Skipped, execution) && execution <= r.ExecutionID && (execution == r.ExecutionID || r.FirstExecution > 0 && execution >= r.FirstExecution)
}
