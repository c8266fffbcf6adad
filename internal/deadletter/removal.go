package deadletter

import (
	"context"
	"slices"
	"time"
)

// Removal says which dead letters are to leave their queue.
type Removal struct {
	Selection
	// To is the queue that they are sent to, empty for that which each came
	// from. Delete deletes them in its place.
	To     string
	Delete bool
	// DryRun only says what would be done.
	DryRun bool
	// Wait of each receive; see Look.
	Wait time.Duration
}

// Removed is what became of a dead letter.
type Removed struct {
	*Letter
	// To is the queue that it was, or would be, sent to; empty if it is deleted.
	To string
	// Err is why it is still there.
	Err error
}

// Outcome is what became of a Removal.
type Outcome struct {
	Done []Removed
	// Late are how many came in after the removal began: they may be what was
	// just sent, and would go round for ever.
	Late int
	// Missing are ids that were not found.
	Missing []string
}

// RemoveAll takes the dead letters selected out of their queues. tell, which may
// be nil, is told of each at once. The error is that of the looking; those of
// single letters stand in the outcome. *InvalidError for a selection, or a queue
// to send to, that does not exist.
func (all Queues) RemoveAll(ctx context.Context, r *Removal, now func() time.Time, tell func(*Removed)) (Outcome, error) {
	if err := r.Check(); err != nil {
		return Outcome{}, err
	}
	if r.To != "" && !slices.Contains(Sources(), r.To) {
		return Outcome{}, &InvalidError{Field: "to", Value: r.To, OneOf: Sources()}
	}
	began := now()
	out := Outcome{Missing: slices.Clone(r.IDs)}
	for _, name := range r.Queues() {
		err := all.Look(ctx, name, r.Wait, func(l *Letter) (Verdict, error) {
			if !r.Has(l) {
				return Verdict{}, nil
			}
			if len(r.IDs) == 0 && l.SentAt.After(began) {
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
				is.Err = all.Remove(ctx, l, is.To, began)
			}
			out.Done = append(out.Done, is)
			if tell != nil {
				tell(&is)
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
