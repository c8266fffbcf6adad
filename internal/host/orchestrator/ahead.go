package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/store"
)

// writeAhead writes the events that a commit copies before the commit, because the commit cannot
// hold them. No reader sees them before the commit, so a process that dies leaves the instance as
// it was. Writing them may take longer than an invocation; the process that receives the message
// next continues after the last stored part.
func (a *attempt) writeAhead(ctx context.Context, c *deciding.Commit) error {
	t := &c.Turns[0]
	parts, name := partsOf(t.Events[:c.TakesOver], a.settler.Settings.Turn.Ahead)
	if err := a.noteAhead(ctx, c); err != nil {
		return err
	}
	var last int64
	err := a.insists(ctx, c, func() (err error) {
		last, err = a.tables.Store.Ahead(ctx, t.Instance, t.ExecutionID, name)
		return err
	})
	if err != nil {
		return err
	}
	for _, events := range parts {
		if events[0].EventID <= last {
			continue
		}
		if !clock.HasTime(ctx, a.settler.Clock, a.settler.Settings.Turn.MinRemaining) {
			return fmt.Errorf("%d of the %d copied events are written: %w", events[0].EventID-1, c.TakesOver, deciding.ErrOver)
		}
		part := store.Turn{Instance: t.Instance, ExecutionID: t.ExecutionID, Events: events, Token: name, Ahead: name}
		encoded, err := a.settler.Edge.Encoded(t.Instance, store.Commit{Turns: []store.Turn{part}})
		if err != nil {
			return err
		}
		if err := a.insists(ctx, c, func() error { return a.tables.Store.WriteAhead(ctx, encoded.Turns[0]) }); err != nil {
			return err
		}
	}
	t.Ahead, t.AheadLast = name, int64(c.TakesOver)
	return nil
}

// noteAhead notes in the record of a redriven instance that parts of its next execution are
// written. If the redrive is never committed, a purge of the instance deletes them. A fork has
// no record yet.
func (a *attempt) noteAhead(ctx context.Context, c *deciding.Commit) error {
	t, r := &c.Turns[0], a.turn.View.Record
	if !c.Change.If.Ended || r.Ahead == t.ExecutionID {
		return nil
	}
	change := store.RecordChange{If: store.RecordCondition{Ended: true, ExecutionID: r.ExecutionID}, Ahead: &t.ExecutionID, UpdatedAt: r.UpdatedAt}
	err := a.insists(ctx, c, func() error { return a.tables.Store.UpdateRecord(ctx, t.Instance, change) })
	if err == nil {
		a.turn.View.Changed(&change)
	}
	return err
}

// partsOf splits events into parts of at most so many bytes, or of one event, and returns a name
// for this division. Every process that divides the events in the same way computes the same name,
// and no process that divides them differently does. The name covers the length of each payload and
// the content of everything else: stored payloads may be encoded, and the payloads of an execution
// never change.
func partsOf(events []history.Event, most int) (parts [][]history.Event, name string) {
	h := sha256.New()
	begin, size := 0, 0
	for i := range events {
		e := events[i]
		n := len(history.Encode(events[i : i+1]))
		if i > begin && size+n > most {
			parts = append(parts, events[begin:i])
			begin, size = i, 0
			h.Write([]byte("|"))
		}
		size += n
		withheld := len(e.Payload)
		e.Payload = nil
		if e.Failure != nil {
			f := *e.Failure
			withheld, f.Details, e.Failure = withheld+len(f.Details), nil, &f
		}
		if e.Start != nil {
			s := *e.Start
			withheld, s.States, e.Start = withheld+len(s.States), nil, &s
		}
		fmt.Fprintf(h, "%d %s\n", withheld, history.Encode([]history.Event{e}))
	}
	return append(parts, events[begin:]), hex.EncodeToString(h.Sum(nil)[:16])
}
