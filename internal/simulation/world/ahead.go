package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/store"
)

// aheadOf identifies a part that was written before its turn.
type aheadOf struct {
	instance  string
	execution int64
	name      string
	first     int64
}

func (s simStore) WriteAhead(ctx context.Context, part store.Turn) error {
	w := s.p.W
	if len(part.Events) == 0 {
		return s.Store.WriteAhead(ctx, part) // The store refuses it.
	}
	w.Watch.WritesAhead(s.p, &part)
	return s.p.call(writeClass, func() string {
		return fmt.Sprintf("writes events %d to %d of %s/%d ahead", part.First(), part.Last(), part.Instance, part.ExecutionID)
	}, func() error {
		w.Reached("redrive, taken over in several writes")
		err := s.Store.WriteAhead(ctx, part)
		if at := (aheadOf{part.Instance, part.ExecutionID, part.Ahead, part.First()}); err == nil && w.ahead[at] == nil {
			w.ahead[at] = slices.Clone(part.Events)
			if r, err := s.Store.Describe(ctx, part.Instance); err == nil && !r.Purged {
				w.redriven[at] = true
			}
		}
		return err
	})
}

// LeftAhead returns the parts that redrives of existing instances have written in advance for an
// execution and that are still stored. A fork has no instance yet whose purge could delete them.
func (w *World) LeftAhead(instance string, execution int64) (left []string) {
	for at := range w.redriven {
		if at.instance != instance || at.execution != execution {
			continue
		}
		if last, err := w.Store.Ahead(context.Background(), instance, execution, at.name); err != nil || last > 0 {
			left = append(left, fmt.Sprintf("%s up to event %d (%v)", at.name, last, err))
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

func (s simStore) Ahead(ctx context.Context, instance string, executionID int64, name string) (last int64, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("looks what of %s/%d is written ahead", instance, executionID) }, func() error {
		last, err = s.Store.Ahead(ctx, instance, executionID, name)
		s.p.noteReceived(func() string { return fmt.Sprint(last) })
		return err
	})
	return last, err
}

// withAhead returns a commit together with the parts that were written before it, as stored: another
// process may have encoded their payloads differently.
func (w *World) withAhead(c store.Commit) store.Commit {
	for i := range c.Turns {
		if c.Turns[i].Ahead == "" {
			continue
		}
		c.Turns = slices.Clone(c.Turns)
		t := &c.Turns[i]
		t.Events = slices.Clone(t.Events)
		for first := int64(1); first <= t.AheadLast; {
			part := w.ahead[aheadOf{t.Instance, t.ExecutionID, t.Ahead, first}]
			if len(part) == 0 {
				break // It was never written: its reader finds that out.
			}
			copy(t.Events[first-1:t.AheadLast], part)
			first += int64(len(part))
		}
	}
	return c
}
