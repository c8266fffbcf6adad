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
	// Execution whose history is read; Event is the event after the last known one, or the event that
	// schedules an activity.
	Execution, Event int64
	// Lacks is the missing event that is to be confirmed.
	Lacks *store.CorruptError
}

// What is read.
type What uint8

const (
	nothing What = iota
	// Record of the instance.
	Record
	// RecordAgain is a second read of the record, because the first may be older than the history.
	// The only change allowed is the one that the history explains.
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
)

func (r *Read) Error() string { return fmt.Sprintf("host: must be read first: %+v", *r) }

// needed turns the plan into the read that a rule has returned as its error; it returns any other
// error.
func (p *Plan) needed(err error) error {
	if read, ok := errors.AsType[*Read](err); ok {
		*p = Plan{Read: read}
		return nil
	}
	if unread, ok := errors.AsType[*reading.Unread](err); ok {
		*p = Plan{Read: &Read{What: History, Execution: unread.Execution}}
		return nil
	}
	return err
}

// described asks for the record unless this turn has read it.
func (t *Turn) described() error {
	_, err := t.learn()
	return err
}

// currentRecord asks for the record again if it may be older than the history that the turn uses:
// both may have changed between the two reads.
func (t *Turn) currentRecord() error {
	if t.View.Current {
		return nil
	}
	return &Read{What: RecordAgain}
}

// Tolerates reports whether a record that was read with an error is sufficient: an ended instance
// can be purged without the key of its output.
func (t *Turn) Tolerates(err error) bool {
	return edge.MissesCodec(err) && t.View.Record.Status.Terminal() && t.Group.onlyPurges()
}

// Moved checks a record that was read again. It returns store.ErrConflict if more has changed than
// the history explains. before is the record known before, and known says whether it was read.
func (t *Turn) Moved(before *store.Record, known bool) error {
	r := t.View.Record
	if t.Running.Warm && t.View.Problem() != nil {
		return ErrStale // The cache did not have the problem.
	}
	if !known || before == nil {
		return nil
	}
	if r == nil || r.Purged || r.ExecutionID != before.ExecutionID || r.Stamp != before.Stamp ||
		r.Status.Terminal() != before.Status.Terminal() || (r.Problem == nil) != (before.Problem == nil) {
		return fmt.Errorf("host: the record of instance %q execution %d was changed while it was read: %w", t.View.Instance, before.ExecutionID, store.ErrConflict)
	}
	return nil
}

// learn asks for the record unless this turn has read it; now says that it was read for this
// question.
func (t *Turn) learn() (now bool, err error) {
	if t.View.Described && t.passed.asked != Record {
		return false, nil
	}
	err = t.ask(&Read{What: Record})
	return err == nil, err
}

// unmoved checks that no event follows the known ones of the execution.
func (t *Turn) unmoved() error {
	return t.ask(&Read{What: Behind, Execution: t.Running.Execution, Event: t.Running.X.LastEventID() + 1})
}

// ask returns the read that a question needs, and nil after that read was made for the question.
// Each answer is used once.
func (t *Turn) ask(r *Read) error {
	if t.passed.asked == r.What {
		t.passed.asked = nothing
		return nil
	}
	t.passed.asked = r.What // If the read fails, the attempt ends.
	return r
}
