package deciding

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// Read is what a decision has to know first. It is an error too: a rule that can't go
// on without it returns it.
type Read struct {
	What What
	// Instance of an Origin.
	Instance string
	// Execution that a history is of; Event is the one after what is known, or
	// the one that an activity is scheduled by.
	Execution, Event int64
	// Lacks is what was not found, and is to be confirmed.
	Lacks *store.CorruptError
}

// What is read.
type What uint8

const (
	nothing What = iota
	// Record of the instance.
	Record
	// RecordAgain is the record again, because what is known of it may be older than the
	// history: it must not have changed otherwise.
	RecordAgain
	// History of an execution.
	History
	// Behind looks, isolated from transactions, that no event follows what is known
	// of the execution.
	Behind
	// Damage looks, isolated from transactions, whether an event is missing indeed.
	Damage
	// Activity is what is known of a pending activity.
	Activity
	// Origin is the record of another instance, and the history of its execution.
	Origin
)

func (r *Read) Error() string { return fmt.Sprintf("host: to be read first: %+v", *r) }

// needed makes the plan of what a rule can't go on without; it returns the error of a rule
// that has failed otherwise.
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

// described asks for the record, unless this turn has read it.
func (t *Turn) described() error {
	_, err := t.learn()
	return err
}

// currentRecord asks for the record again if it may be older than the history that
// the turn goes by: both may have changed between the two reads.
func (t *Turn) currentRecord() error {
	if t.View.Current {
		return nil
	}
	return &Read{What: RecordAgain}
}

// Tolerates reports whether a record that was read with an error will do: what has ended
// can be purged without the key of its output.
func (t *Turn) Tolerates(err error) bool {
	return edge.MissesCodec(err) && t.View.Record.Status.Terminal() && t.Group.onlyPurges()
}

// Moved judges a record that was read again: store.ErrConflict if more has changed than
// what the history gave. before is what was known, and known whether that was read.
func (t *Turn) Moved(before *store.Record, known bool) error {
	r := t.View.Record
	if t.Running.Warm && t.View.Problem() != nil {
		return ErrStale // The cache did not have the mark.
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

// learn asks for the record, unless this turn has read it; now says that it was read for
// this question.
func (t *Turn) learn() (now bool, err error) {
	if t.View.Described && t.passed.asked != Record {
		return false, nil
	}
	err = t.ask(&Read{What: Record})
	return err == nil, err
}

// unmoved asks whether nothing follows what is known of the execution.
func (t *Turn) unmoved() error {
	return t.ask(&Read{What: Behind, Execution: t.Running.Execution, Event: t.Running.X.LastEventID() + 1})
}

// ask returns what is to be read, and nil when it was read for this question: the answer
// is good for one use.
func (t *Turn) ask(r *Read) error {
	if t.passed.asked == r.What {
		t.passed.asked = nothing
		return nil
	}
	t.passed.asked = r.What // If it can't be read, the attempt is over.
	return r
}
