package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// The parts of a copy that a redrive or a fork writes in several commits are under a number that is
// not current yet, so they belong to no execution, and the watcher does not see them. The watcher
// sees them together with the commit that makes the number current, as if they were one commit.

// partOf returns the events of the parts that were stored under the number of a commit, and whether the
// commit is itself a part.
func (w *World) partOf(c *store.Commit) (stored []history.Event, is bool) {
	t := &c.Turns[0]
	if len(c.Turns) != 1 || len(t.Events) == 0 || !t.Parked {
		return nil, false
	}
	stored = w.parts[ledger.At(t.Instance, t.ExecutionID)]
	first := &t.Events[0]
	if len(stored) > 0 {
		first = &stored[0]
	}
	return stored, first.EventID == 1 && first.Start != nil && first.Start.Origin != nil && t.Last() <= first.Start.Origin.EventID
}

// commitPart makes a commit of a part of a copy.
func (s simStore) commitPart(ctx context.Context, c store.Commit) error {
	w, t := s.p.W, &c.Turns[0]
	w.Watch.WritesPart(s.p, &c)
	at := ledger.At(t.Instance, t.ExecutionID)
	err := s.p.call(writeClass, func() string { return "copies in parts: " + commitText(&c) }, func() error {
		if err := w.fits(&c); err != nil {
			return err
		}
		err := s.Store.Commit(ctx, c)
		if err == nil && t.First() == int64(len(w.parts[at]))+1 {
			w.Reached("redrive, taken over in several commits")
			if c.Record != nil && c.Record.Create != nil {
				w.Reached("fork, taken over in several commits")
			}
			w.parts[at] = append(w.parts[at], slices.Clone(t.Events)...)
			w.messaged[at] = w.messaged[at] || t.Messaged
		}
		return err
	})
	if err == nil {
		s.p.Seen[at] = t.Last()
	}
	return err
}

// whole returns a commit together with the parts of its copy, as stored: another process may have
// encoded their payloads differently.
func (w *World) whole(c store.Commit) store.Commit {
	if len(c.Turns[0].Events) == 0 {
		return c
	}
	at := ledger.At(c.Turns[0].Instance, c.Turns[0].ExecutionID)
	if parts := w.parts[at]; len(parts) > 0 && c.Turns[0].First() == int64(len(parts))+1 && w.Ledger.Executions[at] == nil {
		c.Turns = slices.Clone(c.Turns)
		t := &c.Turns[0]
		t.Events, t.Messaged = slices.Concat(parts, t.Events), t.Messaged || w.messaged[at]
	}
	return c
}

// Copied reports whether parts of a copy were written under a number that has not become current.
func (w *World) Copied(instance string, execution int64) bool {
	at := ledger.At(instance, execution)
	return len(w.parts[at]) > 0 && w.Ledger.Executions[at] == nil
}

// LeftCopied returns the numbers up to one that never became current, and under which something is
// stored.
func (w *World) LeftCopied(instance string, upTo int64) (left []string) {
	for n := int64(1); n <= upTo; n++ {
		if !w.Copied(instance, n) {
			continue
		}
		if turns, err := w.Store.Read(context.Background(), instance, n, 1); err != nil || len(turns) > 0 {
			left = append(left, fmt.Sprintf("%d (%v)", n, err))
		}
	}
	return left
}
