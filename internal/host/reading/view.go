// Package reading reads the record of an instance and the histories of its executions, and decodes
// them. A [View] holds what was read, and a [Source] reads the parts that a view lacks. The package
// also distinguishes a damaged history from a history that was read at the wrong moment. It makes
// no other decisions.
package reading

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// View holds the record and the histories of an instance as they were read. It reads nothing
// itself.
type View struct {
	Instance string
	// Record as last known; nil if none exists. Described is set if the record was read from the
	// store in this turn, and not kept from an earlier one.
	Record    *store.Record
	Described bool
	// Current is set if the record is not older than the history that the turn uses, so it has all
	// changes that follow from the history.
	Current bool
	// Damaged is set if payloads were left out of the record because the codec could not decode
	// them.
	Damaged bool
	// histories that were read, by execution.
	histories map[int64][]store.Turn
	// answers has the executions for which a read found no usable history. They are kept until
	// Forget.
	answers map[int64]error
	// decided has the updates whose answers were read, by id: whether the run has decided about them.
	decided map[string]bool
}

// Decided reports whether the run has decided about an update, according to its answer, and whether the
// answer was read.
func (v *View) Decided(id string) (decided, read bool) {
	decided, read = v.decided[id]
	return decided, read
}

// TookAnswer records the answer to an update that was read.
func (v *View) TookAnswer(id string, decided bool) {
	if v.decided == nil {
		v.decided = make(map[string]bool)
	}
	v.decided[id] = decided
}

// Unread is returned by a View that needs the history of an execution that was not read.
type Unread struct{ Execution int64 }

func (e *Unread) Error() string {
	return fmt.Sprintf("host: the history of execution %d was not read", e.Execution)
}

// Turns returns the turns of an execution as they were read, or an *Unread if they were not.
func (v *View) Turns(execution int64) ([]store.Turn, error) {
	if turns, ok := v.histories[execution]; ok {
		return turns, nil
	}
	if err, ok := v.answers[execution]; ok {
		return nil, err
	}
	return nil, &Unread{execution}
}

// keep stores the turns that were read of an execution.
func (v *View) keep(execution int64, turns []store.Turn) {
	if len(turns) == 0 {
		return // A missing history is not kept because its start may be committed in the meantime.
	}
	if v.histories == nil {
		v.histories = map[int64][]store.Turn{}
	}
	v.histories[execution] = turns
}

// Answer records that an execution has no history (a nil error), or that its history cannot be
// used. The record is valid until Forget.
func (v *View) Answer(execution int64, err error) {
	if v.answers == nil {
		v.answers = map[int64]error{}
	}
	v.answers[execution] = err
}

// Forget drops the answers, so that those histories are read again.
func (v *View) Forget() { clear(v.answers) }

// Wrote adds the turns that were just written to the histories that were read. A resend for another
// message of this group must not treat operations as open that this turn has closed.
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

// Event returns an event of an execution. It returns store.ErrConflict if the event is not among
// the events that were read, and an *Unread if the execution was not read.
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
	return nil, fmt.Errorf("%w: event %d of instance %q execution %d was not read", store.ErrConflict, eventID, v.Instance, execution)
}

// Changed applies a change to the known record.
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

// Problem returns the problem in the record; nil for none.
func (v *View) Problem() *store.Problem {
	if v.Record == nil {
		return nil
	}
	return v.Record.Problem
}

// Held reports whether a purged instance still reserves the id at that time.
func (v *View) Held(now time.Time) bool {
	return v.Record != nil && v.Record.Purged && !v.Record.Free(now)
}

// Skips reports whether a number never became current, so that it belongs to no execution.
func (v *View) Skips(execution int64) bool {
	return v.Record != nil && slices.Contains(v.Record.Skipped, execution)
}

// Before returns the execution that precedes a given one.
func (v *View) Before(execution int64) int64 {
	for execution--; v.Skips(execution); execution-- {
	}
	return execution
}

// FirstExecution returns the first execution of the instance; 0 if it is not known.
func (v *View) FirstExecution() int64 {
	if v.Record != nil {
		return v.Record.FirstExecution
	}
	return 0
}
