package store

import (
	"bytes"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// Free reports whether it is a tombstone whose id may be started again.
func (r *Record) Free(now time.Time) bool { return r.Purged && !r.FreeAt.After(now) }

// KnowsStart reports whether the instance was begun by this start, now or in an earlier
// run.
func (r *Record) KnowsStart(id string) bool {
	return r.StartID == id || slices.Contains(r.EarlierStarts, id)
}

// StartsBefore returns what EarlierStarts of the next run are.
func (r *Record) StartsBefore() []string {
	all := append(slices.Clone(r.EarlierStarts), r.StartID)
	return all[max(0, len(all)-MaxEarlierStarts):]
}

// Prune returns the change by which first becomes the first execution that is kept. Of two
// that are made from one record, one loses, so that the number never goes back.
func (r *Record) Prune(first int64, now time.Time) RecordChange {
	found, pruned := r.FirstExecution, r.Pruned+first-max(r.FirstExecution, 1)
	return RecordChange{If: RecordCondition{Exists: true, FirstExecution: &found}, FirstExecution: &first, Pruned: &pruned, UpdatedAt: now}
}

// Hidden returns the tombstone that Hide makes of a record: of a record that is
// hidden already, FreeAt moves on, and never back.
func (r Record) Hidden(freeAt time.Time) Record {
	if !r.Purged || freeAt.After(r.FreeAt) {
		r.FreeAt = freeAt
	}
	r.Purged = true
	return r.Stored()
}

// Holds reports whether the condition holds for the record found, nil if
// there is none. Implementations that can't evaluate it here express the same.
func (c RecordCondition) Holds(r *Record) bool {
	if c.Absent {
		return r == nil || c.ExecutionID > 0 && r.ExecutionID == c.ExecutionID && r.Free(c.At)
	}
	demands := c.Exists || c.ExecutionID > 0 || c.Running || c.Ended || c.FirstExecution != nil || c.Stamp != nil || c.Suspect != nil
	switch {
	case !demands:
		return true
	case r == nil || r.Purged:
		return false
	case c.ExecutionID > 0 && r.ExecutionID != c.ExecutionID,
		c.Running && r.Status.Terminal(),
		c.Ended && !r.Status.Terminal(),
		c.FirstExecution != nil && r.FirstExecution != *c.FirstExecution,
		c.Stamp != nil && r.Stamp != *c.Stamp,
		c.Suspect != nil && r.Suspect != *c.Suspect:
		return false
	}
	return true
}

// Holds reports whether the change may be made to the record found. Beyond
// its condition, only Create makes a record: any other change needs an existing
// record that is not a tombstone.
func (c *RecordChange) Holds(r *Record) bool {
	if c.Create == nil && (r == nil || r.Purged) {
		return false
	}
	if c.Create == nil && len(c.SearchAttributes) > 0 && !r.CreatedAt.Equal(storedTime(c.FoundAt)) {
		return false
	}
	return c.If.Holds(r)
}

// Apply returns the record as the change leaves it.
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
	set(&r.CustomStatus, c.CustomStatus)
	set(&r.Output, c.Output)
	set(&r.Codec, c.Codec)
	set(&r.Failure, c.Failure)
	set(&r.Problem, c.Problem)
	set(&r.Suspension, c.Suspension)
	set(&r.Suspect, c.Suspect)
	set(&r.Dispatched, c.Dispatched)
	set(&r.LoopedAt, c.LoopedAt)
	set(&r.Untold, c.Untold)
	set(&r.Stamp, c.Stamp)
	r.SearchAttributes = r.SearchAttributes.With(c.SearchAttributes)
	r.UpdatedAt = c.UpdatedAt
	return r.Stored()
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}

// Stored returns the record as every store keeps it: a copy that shares
// nothing with r, times in UTC and whole milliseconds, empty values nil. A
// tombstone keeps only its few fields.
func (r Record) Stored() Record {
	if r.Purged {
		return Record{Instance: r.Instance, ExecutionID: r.ExecutionID, StartID: r.StartID, Purged: true, FreeAt: storedTime(r.FreeAt)}
	}
	r.CreatedAt, r.UpdatedAt, r.EndedAt = storedTime(r.CreatedAt), storedTime(r.UpdatedAt), storedTime(r.EndedAt)
	r.LoopedAt = storedTime(r.LoopedAt)
	r.CustomStatus, r.Output = cloneBytes(r.CustomStatus), cloneBytes(r.Output)
	r.SearchAttributes = r.SearchAttributes.With(nil)
	r.EarlierStarts = slices.Clone(r.EarlierStarts)
	if r.Failure != nil {
		f := *r.Failure
		f.Details = cloneBytes(f.Details)
		r.Failure = &f
	}
	r.Parent = clone(r.Parent)
	if r.Problem = clone(r.Problem); r.Problem != nil {
		r.Problem.Diff = clone(r.Problem.Diff)
	}
	r.Origin = clone(r.Origin)
	r.Suspension = clone(r.Suspension)
	return r
}

func clone[T history.Parent | history.Origin | Problem | ProblemDiff | Suspension](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func cloneBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return bytes.Clone(b)
}

func storedTime(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// TerminalStatuses lists the statuses of an instance that has ended.
func TerminalStatuses() []Status {
	return []Status{StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated}
}
