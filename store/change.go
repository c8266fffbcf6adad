package store

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// RecordChange changes some fields of a record; nil fields stay as they are.
type RecordChange struct {
	// If is the condition for the change and for everything that is committed with it.
	If RecordCondition

	// Create replaces the whole record with this one (a start). All fields below are then ignored,
	// except SearchAttributes, which has an entry without a value for each attribute of the old
	// record that Create lacks.
	Create *Record

	ExecutionID *int64
	// FirstExecution and Pruned change together (Record.Prune).
	FirstExecution *int64
	Pruned         *int64
	Version        *string
	Status         *Status
	EndedAt        *time.Time
	States         *[]byte
	Output         *[]byte
	StatesCodec    *string
	Codec          *string
	Failure        **history.Failure
	Problem        **Problem // a pointer to nil clears the problem
	Suspension     **Suspension
	Suspect        *string // empty clears it
	Dispatched     *string // empty clears it
	LoopedAt       *time.Time
	Awaits         **Problem
	Unreported     *string
	Stamp          *int64
	Reserved       *Reservation
	// Forked and Forks change together (Record.Fork).
	Forked *int64
	Forks  *[]string
	// SearchAttributes are set; one without a value is removed, and all others are kept. The index of
	// search attributes includes the start time, so FoundAt must be the record's CreatedAt.
	SearchAttributes history.SearchAttributes
	FoundAt          time.Time
	// UpdatedAt is always set.
	UpdatedAt time.Time
}

// RecordCondition is a condition on the record; zero fields require nothing.
type RecordCondition struct {
	// Absent requires that the record does not exist or, with ExecutionID > 0, is a tombstone whose
	// execution number is ExecutionID and whose id can be reused at the time At.
	Absent bool
	At     time.Time
	// Exists requires a record that is not a tombstone.
	Exists bool
	// ExecutionID that the record must have, if > 0.
	ExecutionID int64
	// Running requires that the record's status is not terminal.
	Running bool
	// Ended requires a record whose status is terminal.
	Ended bool
	// FirstExecution that the record must have, if not nil.
	FirstExecution *int64
	// Forked that the record must have, if not nil.
	Forked *int64
	// Stamp that the record must have, if not nil.
	Stamp *int64
	// Suspect that the record must have, if not nil.
	Suspect *string
	// Reserved that the record must have, if not nil.
	Reserved *Reservation
}

// Holds reports whether the condition holds for the record found; nil if there is none. Implementations
// that cannot call it express the same condition in their own way.
func (c RecordCondition) Holds(r *Record) bool {
	if c.Absent {
		return r == nil || c.ExecutionID > 0 && r.ExecutionID == c.ExecutionID && r.Free(c.At)
	}
	demands := c.Exists || c.ExecutionID > 0 || c.Running || c.Ended || c.FirstExecution != nil || c.Forked != nil || c.Stamp != nil || c.Suspect != nil || c.Reserved != nil
	switch {
	case !demands:
		return true
	case r == nil || r.Purged:
		return false
	case c.ExecutionID > 0 && r.ExecutionID != c.ExecutionID,
		c.Running && r.Status.Terminal(),
		c.Ended && !r.Status.Terminal(),
		c.FirstExecution != nil && r.FirstExecution != *c.FirstExecution,
		c.Forked != nil && r.Forked != *c.Forked,
		c.Stamp != nil && r.Stamp != *c.Stamp,
		c.Suspect != nil && r.Suspect != *c.Suspect,
		c.Reserved != nil && r.Reserved != *c.Reserved:
		return false
	}
	return true
}

// Holds reports whether the change may be made to the record found. In addition to its condition, any
// change other than Create requires an existing record that is not a tombstone.
func (c *RecordChange) Holds(r *Record) bool {
	if c.Create == nil && (r == nil || r.Purged) {
		return false
	}
	if c.Create == nil && len(c.SearchAttributes) > 0 && !r.CreatedAt.Equal(storedTime(c.FoundAt)) {
		return false
	}
	return c.If.Holds(r)
}

// Apply returns the record after the change.
func (c *RecordChange) Apply(r Record) Record {
	if c.Create != nil {
		return c.Create.Stored()
	}
	set(&r.ExecutionID, c.ExecutionID)
	set(&r.FirstExecution, c.FirstExecution)
	set(&r.Pruned, c.Pruned)
	set(&r.Version, c.Version)
	set(&r.Status, c.Status)
	set(&r.EndedAt, c.EndedAt)
	set(&r.States, c.States)
	set(&r.Output, c.Output)
	set(&r.StatesCodec, c.StatesCodec)
	set(&r.Codec, c.Codec)
	set(&r.Failure, c.Failure)
	set(&r.Problem, c.Problem)
	set(&r.Suspension, c.Suspension)
	set(&r.Suspect, c.Suspect)
	set(&r.Dispatched, c.Dispatched)
	set(&r.LoopedAt, c.LoopedAt)
	set(&r.Awaits, c.Awaits)
	set(&r.Unreported, c.Unreported)
	set(&r.Stamp, c.Stamp)
	set(&r.Reserved, c.Reserved)
	set(&r.Forked, c.Forked)
	set(&r.Forks, c.Forks)
	r.SearchAttributes = r.SearchAttributes.With(c.SearchAttributes)
	r.UpdatedAt = c.UpdatedAt
	return r.Stored()
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}
