package deadletter

import (
	"context"
	"slices"
	"time"
)

// Removal says which dead letters to remove from their queue.
type Removal struct {
	Selection
	// To is the queue that they are sent to; empty for the queue that each came from. Delete deletes them instead.
	To     string
	Delete bool
	// DryRun only reports what would be done.
	DryRun bool
	// Wait is the wait of each receive; see Look.
	Wait time.Duration
}

// Removed is the outcome for one dead letter.
type Removed struct {
	*Letter
	// To is the queue that it was, or would be, sent to; empty if it is deleted.
	To string
	// Err is why it was not removed.
	Err error
}

// Outcome is the outcome of a Removal.
type Outcome struct {
	Done []Removed
	// Late is how many dead letters were skipped because they arrived after the removal started. They may be ones that
	// it has just redriven, which would loop forever.
	Late int
	// Missing are the ids that were not found.
	Missing []string
}

// RemoveAll removes the selected dead letters from their queues. It calls report, unless nil, after each one. The error
// is an error of reading the queues; errors of single messages are in the outcome. RemoveAll returns an *InvalidError if
// a queue or a reason does not exist.
func (all Queues) RemoveAll(ctx context.Context, r *Removal, now func() time.Time, report func(*Removed)) (Outcome, error) {
	if err := r.Check(); err != nil {
		return Outcome{}, err
	}
	if r.To != "" && !slices.Contains(Sources(), r.To) {
		return Outcome{}, &InvalidError{Field: "to", Value: r.To, OneOf: Sources()}
	}
	startedAt := now()
	out := Outcome{Missing: slices.Clone(r.IDs)}
	for _, name := range r.Queues() {
		err := all.Look(ctx, name, r.Wait, func(l *Letter) (Verdict, error) {
			if !r.Has(l) {
				return Verdict{}, nil
			}
			if len(r.IDs) == 0 && l.SentAt.After(startedAt) {
				out.Late++
				return Verdict{}, nil
			}
			out.Missing = slices.DeleteFunc(out.Missing, func(id string) bool { return id == l.ID })
			is := Removed{Letter: l}
			if !r.Delete {
				if is.To = r.To; is.To == "" {
					is.To = l.Source()
				}
			}
			if !r.DryRun {
				is.Err = all.Remove(ctx, l, is.To, startedAt)
			}
			out.Done = append(out.Done, is)
			if report != nil {
				report(&is)
			}
			return Verdict{Gone: !r.DryRun && is.Err == nil, Last: len(r.IDs) > 0 && len(out.Missing) == 0}, ctx.Err()
		})
		if err != nil {
			return out, err
		}
		if len(r.IDs) > 0 && len(out.Missing) == 0 {
			break
		}
	}
	return out, nil
}
