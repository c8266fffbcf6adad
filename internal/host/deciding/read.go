package deciding

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// Read is a read that a decision needs. It is also an error, which a rule returns if it cannot
// continue without the read.
type Read struct {
	What What
	// Instance of an Origin.
	Instance string
	// Execution is the execution whose history is read; Event is the event after the last known
	// one, or the event that schedules an activity.
	Execution, Event int64
	// Updates are the ids of updates whose Answers are read.
	Updates []string
	// Lacks is the missing event to confirm.
	Lacks *store.CorruptError
}

// What is read.
type What uint8

const (
	nothing What = iota
	// Record of the instance.
	Record
	// RecordAgain is a second read of the record, because the first may be older than the history.
	// The only change allowed is one that the history explains.
	RecordAgain
	// History of an execution.
	History
	// Behind checks, isolated from transactions, that no event follows the known ones of the
	// execution.
	Behind
	// Damage checks, isolated from transactions, whether an event is really missing.
	Damage
	// Activity is the state of a pending activity.
	Activity
	// Origin is the record of another instance, and the history of its execution.
	Origin
	// Answers to updates.
	Answers
)

func (r *Read) Error() string { return fmt.Sprintf("host: must be read first: %+v", *r) }

// needed turns the error of a rule into a plan for the read that the error names; it returns any
// other error unchanged.
func needed(p Plan, err error) (Plan, error) {
	if read, ok := errors.AsType[*Read](err); ok {
		return Plan{Read: read}, nil
	}
	if unread, ok := errors.AsType[*reading.Unread](err); ok {
		return Plan{Read: &Read{What: History, Execution: unread.Execution}}, nil
	}
	return p, err
}

// described requests the record unless this turn has read it.
func (k *Known) described() error {
	if k.View.Described {
		return nil
	}
	return &Read{What: Record}
}

// unmoved checks that no event follows the known ones of the execution.
func (k *Known) unmoved() error {
	if k.Answered == Behind {
		return nil
	}
	return &Read{What: Behind, Execution: k.Running.Execution, Event: k.Running.X.LastEventID() + 1}
}

// Tolerates reports whether a record that was read with an error is sufficient: an ended instance
// can be purged without the key of its output.
func (k *Known) Tolerates(err error) bool {
	return edge.MissesCodec(err) && k.View.Record.Status.Terminal() && k.Group.onlyPurges()
}

// Moved checks a record that was read again. It returns store.ErrConflict if more has changed than
// the history explains. before is the previously known record; known is set if that record was
// read.
func (k *Known) Moved(before *store.Record, known bool) error {
	r := k.View.Record
	if k.Running.Warm && k.View.Problem() != nil {
		return ErrStale // The cache did not have the problem.
	}
	if !known || before == nil {
		return nil
	}
	if r == nil || r.Purged || r.ExecutionID != before.ExecutionID || r.Stamp != before.Stamp ||
		r.Status.Terminal() != before.Status.Terminal() || (r.Problem == nil) != (before.Problem == nil) {
		return fmt.Errorf("host: the record of instance %q execution %d was changed while it was read: %w", k.View.Instance, before.ExecutionID, store.ErrConflict)
	}
	return nil
}
