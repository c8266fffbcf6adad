package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/reading"
)

// catchUp takes the instance out of the cache and, if a completion among the
// messages names an event that it does not have, feeds it what other processes
// have appended since: the new tail alone, so that a turn costs the same
// however long the history is, on whichever warm process it runs. It reports
// false if there is nothing in the cache to go on from.
func (t *turn) catchUp(ctx context.Context, open []*inbox.Message) (bool, error) {
	e := t.cache.Take(t.Instance)
	if e == nil {
		return false, nil
	}
	later := slices.ContainsFunc(open, func(m *inbox.Message) bool { return m.Completion() && m.Item.TargetExecution() > e.Execution })
	behind := slices.ContainsFunc(open, func(m *inbox.Message) bool {
		return m.Completion() && m.Item.TargetExecution() == e.Execution && m.Item.SourceEventID > e.X.LastEventID()
	})
	if later {
		e.X.Close()
		return false, nil
	}
	if behind {
		turns, err := t.Tail(ctx, e.Execution, e.X.LastEventID()+1)
		if err != nil && !reading.Corrupt(err) {
			e.X.Close()
			return false, fmt.Errorf("host: tail of the history of instance %q execution %d: %w", t.Instance, e.Execution, err)
		}
		if err == nil && len(turns) > 0 {
			err = e.X.Feed(reading.EventsOf(turns), turns[len(turns)-1].Parked)
			e.Work.AddTurns(turns)
		}
		if err != nil || e.X.Ended() || len(turns) > 0 && turns[len(turns)-1].Parked {
			// Judged from nothing, by what is stored; where arrivals are parked
			// the record says why.
			e.X.Close()
			return false, nil
		}
	}
	t.x, t.execution, t.work, t.Record, t.warm = e.X, e.Execution, e.Work, e.Record, true
	t.Current = e.Current && !behind
	return true, nil
}
