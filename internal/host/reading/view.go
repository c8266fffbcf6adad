// Package reading is what a turn knows of its instance: the record, and the histories of its
// executions, made plain. A [View] is that as a value; a [Source] reads what a view has not.
// It tells what is damaged from what was only read at the wrong moment; it decides nothing
// more.
package reading

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// View is what is known of an instance. It reads nothing.
type View struct {
	Instance string
	// Record as last known; nil where there is none. Described says that it
	// was read, and not only kept from before.
	Record    *store.Record
	Described bool
	// Current: the record is not older than the history that the turn goes by,
	// so that it has what that gave it.
	Current bool
	// Damaged: what its codec could not open was left out of the record.
	Damaged bool
	// histories that were read, by execution.
	histories map[int64][]store.Turn
	// answers are reads that came to nothing, or to a history that can't be used, until
	// they are forgotten.
	answers map[int64]error
}

// Unread is the error of a question that a View can't answer yet: the history of the
// execution must be read.
type Unread struct{ Execution int64 }

func (e *Unread) Error() string {
	return fmt.Sprintf("host: the history of execution %d was not read", e.Execution)
}

// Turns returns the turns of an execution, as they were read; an *Unread if they were
// not.
func (v *View) Turns(execution int64) ([]store.Turn, error) {
	if turns, ok := v.histories[execution]; ok {
		return turns, nil
	}
	if err, ok := v.answers[execution]; ok {
		return nil, err
	}
	return nil, &Unread{execution}
}

// keep takes in what was read of an execution.
func (v *View) keep(execution int64, turns []store.Turn) {
	if len(turns) == 0 {
		return // That there is no history is not kept: the start may be committed meanwhile.
	}
	if v.histories == nil {
		v.histories = map[int64][]store.Turn{}
	}
	v.histories[execution] = turns
}

// Answer takes in that an execution has no history, with a nil error, or one that can't be
// used, until Forget.
func (v *View) Answer(execution int64, err error) {
	if v.answers == nil {
		v.answers = map[int64]error{}
	}
	v.answers[execution] = err
}

// Forget has what came to nothing read again.
func (v *View) Forget() { clear(v.answers) }

// Wrote keeps the histories that were read up to date: what is sent again for
// another message of this group must not take for open what this turn closed.
func (v *View) Wrote(turns []store.Turn) {
	for _, added := range turns {
		read, ok := v.histories[added.ExecutionID]
		switch {
		case ok && len(read) > 0 && read[len(read)-1].Last()+1 == added.First():
			v.histories[added.ExecutionID] = append(slices.Clip(read), added)
		case ok:
			delete(v.histories, added.ExecutionID)
		}
	}
}

// Event returns an event of an execution; store.ErrConflict if it is not among those
// read, an *Unread if none were.
func (v *View) Event(execution, eventID int64) (*history.Event, error) {
	turns, err := v.Turns(execution)
	if err != nil {
		return nil, err
	}
	for i := range turns {
		if turn := &turns[i]; eventID <= turn.Last() {
			return &turn.Events[eventID-turn.First()], nil
		}
	}
	return nil, fmt.Errorf("%w: event %d of instance %q execution %d is not among those read", store.ErrConflict, eventID, v.Instance, execution)
}

// Changed keeps what is known of the record up to date.
func (v *View) Changed(c *store.RecordChange) {
	if c == nil || c.Create == nil && v.Record == nil {
		return
	}
	var r store.Record
	if v.Record != nil {
		r = *v.Record
	}
	r = c.Apply(r)
	v.Record, v.Current = &r, v.Current || c.Create != nil
}

// Problem is the mark that the record has; nil for none.
func (v *View) Problem() *store.Problem {
	if v.Record == nil {
		return nil
	}
	return v.Record.Problem
}

// Held reports whether a purged instance holds the id still at a time.
func (v *View) Held(now time.Time) bool {
	return v.Record != nil && v.Record.Purged && !v.Record.Free(now)
}

// FirstExecution of the instance; 0 if that is not known.
func (v *View) FirstExecution() int64 {
	if v.Record != nil {
		return v.Record.FirstExecution
	}
	return 0
}
