package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// writing makes the writes of a commit.
type writing struct {
	*services
	turn *deciding.Turn
}

// once makes the write of a commit, with new tokens.
func (a writing) once(ctx context.Context, c *deciding.Commit) error {
	for i := range c.Turns {
		token, err := a.random.Hex() // new for each content
		if err != nil {
			return err
		}
		c.Turns[i].Token = token
	}
	encoded, err := a.settler.Edge.Encoded(a.turn.View.Instance, store.Commit{Turns: c.Turns, Record: c.Change})
	if err != nil {
		return err
	}
	// Only the identical write may be repeated: it either finds its own earlier result or takes
	// effect now. Reading the history back would prove nothing.
	return a.insists(ctx, c, func() error { return a.tables.Store.Commit(ctx, encoded) })
}

// insists makes a write of a commit, and repeats the write while a repeat may succeed.
func (a writing) insists(ctx context.Context, c *deciding.Commit, write func() error) error {
	err := write()
	for n := 1; a.commitsAgain(ctx, c, n, err); n++ {
		err = write()
	}
	return err
}

// commitsAgain reports whether to repeat a commit that has failed n times, after waiting until it
// may be repeated. A throttled commit is repeated after growing pauses. If it has results of inline
// activities, it is repeated as long as there is time, because the activities would otherwise run
// again.
func (a writing) commitsAgain(ctx context.Context, c *deciding.Commit, n int, err error) bool {
	s := a.settler.Settings
	switch {
	case errors.Is(err, store.ErrUnknownOutcome):
		return n < s.Turn.CommitAttempts && ctx.Err() == nil
	case errors.Is(err, store.ErrUnavailable):
		return (n < s.Turn.CommitAttempts || c.Insists) && backoff.Pause(ctx, a.settler.Clock, a.random, n, s.Dispatch.MinRemaining)
	}
	return false
}

// noteFork notes in the record of an instance that it was forked, so that its forks can be
// listed. Each fork costs one write. It precedes the commit that starts the fork: if the process
// dies between the two, the message remains and starts the fork later. The fork of an instance
// that was purged in the meantime is not noted.
func (a writing) noteFork(ctx context.Context, c *deciding.Commit) error {
	t, of := &c.Turns[0], a.turn.Running.Origin.Record
	if a.turn.Running.Redriven == nil || t.First() > 1 {
		return nil
	}
	for of != nil && !of.Purged && !of.KnowsFork(t.Instance) {
		change := of.Fork(t.Instance, a.settler.Clock.Now())
		err := a.insists(ctx, c, func() error { return a.tables.Store.UpdateRecord(ctx, of.Instance, change) })
		conflict, lost := errors.AsType[*store.RecordConflictError](err)
		switch {
		case lost:
			of = conflict.Found
		case err != nil:
			return fmt.Errorf("host: fork %q not noted in the record of instance %q: %w", t.Instance, of.Instance, err)
		default:
			return nil
		}
	}
	return nil
}

// A redrive or a fork that copies more events than one commit holds writes them in several commits,
// as parked events of its execution. The first of them also reserves the number of that execution
// in the record, for the start to which it belongs. From then on every other start uses a later
// number, and this start continues the copy, even in another process. The last commit changes the
// record to the new execution. The condition of the last commit has the reservation that was read,
// so a start that has lost the number cannot make it current. docs/internal/models/reserve.tla is a
// model of this.

// commitCopy makes a commit, in several writes if it copies more events than one write holds.
func (a writing) commitCopy(ctx context.Context, c *deciding.Commit) error {
	start := c.Turns[0].Events[0].Start
	r := a.turn.View.Record
	if reserved := a.turn.Running.Creating() && r != nil && start != nil && r.Reserves(start.StartID); !reserved {
		if err := a.once(ctx, c); !isA[*store.TooLargeError](err) || c.TakesOver == 0 {
			return err
		}
	} else if same, err := a.continues(ctx, c, start); err != nil {
		return err
	} else if !same {
		return a.giveUp(ctx, c)
	}
	if err := a.copyInParts(ctx, c); err != nil {
		return err
	}
	return a.once(ctx, c)
}

// continues reports whether the copy of a commit continues the copy that is stored under its
// number. It does not if the original of a fork has continued or has been purged in the meantime.
// The start event says where the copy ends and which operations are open there.
func (a writing) continues(ctx context.Context, c *deciding.Commit, start *history.Start) (bool, error) {
	turns, err := a.tables.source.Read(ctx, &a.turn.View, c.Turns[0].ExecutionID)
	if reading.Corrupt(err) {
		return false, nil
	}
	if err != nil || len(turns) == 0 {
		return false, err
	}
	stored := turns[0].Events[0].Start
	return c.TakesOver > 0 && turns[len(turns)-1].Last() <= int64(c.TakesOver) &&
		stored != nil && stored.StartID == start.StartID && reflect.DeepEqual(stored.Origin, start.Origin), nil
}

// giveUp gives up the number that the start has reserved: the attempt is made again, with the next
// number.
func (a writing) giveUp(ctx context.Context, c *deciding.Commit) error {
	change := a.turn.View.Record.GiveUp()
	if err := a.insists(ctx, c, func() error { return a.tables.Store.UpdateRecord(ctx, a.turn.View.Instance, change) }); err != nil {
		return err
	}
	return fmt.Errorf("the copy under the reserved number belongs to another history: %w", store.ErrConflict)
}

// copyInParts writes the copied events of a commit, except those that are already stored, and
// leaves all other events in the commit.
func (a writing) copyInParts(ctx context.Context, c *deciding.Commit) error {
	t, view := &c.Turns[0], &a.turn.View
	turns, _ := view.Turns(t.ExecutionID)
	stored := reading.EventCount(turns)
	for size := a.settler.Settings.Turn.Part; stored < c.TakesOver; {
		if !clock.HasTime(ctx, a.settler.Clock, a.settler.Settings.Turn.MinRemaining) {
			return fmt.Errorf("%d of the %d copied events are written: %w", stored, c.TakesOver, deciding.ErrOver)
		}
		token, err := a.random.Hex()
		if err != nil {
			return err
		}
		n := partOf(t.Events[stored:c.TakesOver], size)
		part := store.Turn{Instance: t.Instance, ExecutionID: t.ExecutionID, Events: t.Events[stored : stored+n], Token: token, Messaged: t.Messaged && stored == 0, Parked: true}
		w := store.Commit{Turns: []store.Turn{part}}
		if stored == 0 {
			w.Record = a.reservation(c)
		}
		encoded, err := a.settler.Edge.Encoded(t.Instance, w)
		if err != nil {
			return err
		}
		switch err := a.insists(ctx, c, func() error { return a.tables.Store.Commit(ctx, encoded) }); {
		case isA[*store.TooLargeError](err) && n > 1:
			size /= 2
			continue
		case err != nil:
			return err
		}
		view.Changed(w.Record)
		view.Wrote(w.Turns)
		stored += n
	}
	a.turn.Running.Work.Add(t.Events[:stored])
	t.Events, t.Messaged = t.Events[stored:], false
	reserved := view.Record.Reserved
	c.Change.If.Reserved = &reserved
	if view.Record.Status == store.StatusForking {
		c.Change.If = store.RecordCondition{Exists: true, ExecutionID: t.ExecutionID, Reserved: &reserved}
	}
	return nil
}

// reservation returns the change that reserves the number of a commit that starts an execution. A
// fork has no record yet, and gets one with the status forking.
func (a writing) reservation(c *deciding.Commit) *store.RecordChange {
	next := c.Change.Create
	reserved := store.Reservation{ExecutionID: next.ExecutionID, StartID: next.StartID}
	if c.Change.If.Ended {
		return &store.RecordChange{If: c.Change.If, Reserved: &reserved, UpdatedAt: a.turn.View.Record.UpdatedAt}
	}
	return &store.RecordChange{If: c.Change.If, UpdatedAt: next.UpdatedAt, Create: &store.Record{
		Instance: next.Instance, ExecutionID: next.ExecutionID, FirstExecution: next.ExecutionID, StartID: next.StartID, Name: next.Name, Version: next.Version,
		Status: store.StatusForking, CreatedAt: next.CreatedAt, UpdatedAt: next.UpdatedAt, Parent: next.Parent, Origin: next.Origin,
		FairnessGroup: next.FairnessGroup, Reserved: reserved}}
}

// partOf returns how many of the events fit into a part of the given size in bytes; at least one.
func partOf(events []history.Event, most int) int {
	size := 0
	for i := range events {
		if size += len(history.Encode(events[i : i+1])); i > 0 && size > most {
			return i
		}
	}
	return len(events)
}
