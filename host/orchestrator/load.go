package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// load finds out how the instance stands, with as few reads as will do:
//
//   - none, if the instance is in the cache: a stale one
//     loses its conditional write and is thrown away; or the new tail alone, if
//     a message shows that it is stale;
//   - the history of the execution that all messages name, if they are
//     completions;
//   - else the record, and the history of its execution, unless it has ended
//     and nothing has to be sent again.
//
// A message that comes back, one that is settled without a commit that would show
// a stale cache (a wake, a terminate, a purge, a parent's cancel), is judged by
// what is stored.
func (t *turn) load(ctx context.Context) error {
	open := t.group.open()
	stored := t.cold || slices.ContainsFunc(open, func(m *inbox.Message) bool {
		return m.Returning() || !m.Records() || m.Item.Kind == wire.CancelInstance && m.Item.Parent != nil
	})
	if !stored {
		if found, err := t.catchUp(ctx, open); found || err != nil {
			return err
		}
		if n := commonExecution(open); n > 0 {
			turns, err := t.Read(ctx, n)
			if err == nil && len(turns) > 0 && !turns[len(turns)-1].Parked {
				return t.feed(n, turns)
			}
			if err != nil && !reading.Corrupt(err) {
				return err
			}
			// Not there, or damaged: the record tells whether it was purged. Or
			// its last arrivals are parked: the record tells why.
		}
	} else if e := t.cache.Take(t.Instance); e != nil {
		e.X.Close()
	}
	return t.loadByRecord(ctx, open)
}

func (t *turn) loadByRecord(ctx context.Context, open []*inbox.Message) error {
	if err := t.describe(ctx); err != nil {
		return err
	}
	r := t.Record
	switch {
	case r == nil, r.Purged:
		start := newStart(t.Record, open)
		if start == nil || t.Held() {
			return nil
		}
		t.creating, t.execution = true, 1
		if r != nil {
			// What is derived from a number is never the same again.
			t.execution = r.ExecutionID + 1
		}
		if start.Returning() {
			if err := t.checkNotBegun(ctx); err != nil {
				return err
			}
		}
		t.x, t.work = t.newExecution(t.Instance, t.execution), dispatch.Work{}
		return nil
	case r.Status.Terminal() && !slices.ContainsFunc(open, func(m *inbox.Message) bool {
		// Its twin may have ended the instance, and not have sent the end.
		return m.Returning() || m.Item.Kind == wire.Wake || !r.EndedAt.Before(t.earliest(m))
	}):
		return nil
	}
	turns, err := t.Read(ctx, r.ExecutionID)
	if edge.MissesCodec(err) && r.Status.Terminal() && t.group.onlyHides() {
		return nil
	}
	if err != nil {
		return err
	}
	if reading.ContinuedAsNew(turns) {
		// Between the two reads the instance went on to another execution.
		// What is meant for the current one must not be judged by this one.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.Instance, r.ExecutionID, store.ErrConflict)
	}
	return t.feed(r.ExecutionID, turns)
}

// checkNotBegun looks whether a start that comes back has begun its instance, though there is
// no record: the transaction that it came to may not have shown it yet. Begun again, the
// instance would do its inline activities again, before its commit is refused.
func (t *turn) checkNotBegun(ctx context.Context) error {
	turns, err := t.Read(ctx, t.execution)
	if err == nil && len(turns) > 0 {
		err = fmt.Errorf("host: instance %q began execution %d while it was read: %w", t.Instance, t.execution, store.ErrConflict)
	}
	return err
}

// newStart returns the start that may begin the instance; nil if there is none.
func newStart(r *store.Record, messages []*inbox.Message) *inbox.Message {
	for _, m := range messages {
		if m.Item.Kind == wire.StartOrchestration && !forbids(r, m) {
			return m
		}
	}
	return nil
}

// commonExecution returns the execution that all messages are completions for,
// 0 if there is none.
func commonExecution(open []*inbox.Message) int64 {
	var n int64
	for _, m := range open {
		if !m.Completion() || n != 0 && n != m.Item.TargetExecution() {
			return 0
		}
		n = m.Item.TargetExecution()
	}
	return n
}

func (o *maker) newExecution(instance string, n int64) *engine.Execution {
	options := o.engine
	if o.Codecs != nil {
		options.Conceal = concealing(instance, n, o.Keys)
	}
	return engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: o.Orchestrations, Options: options})
}

// feed makes the execution of what was read.
func (t *turn) feed(n int64, turns []store.Turn) error {
	x := t.newExecution(t.Instance, n)
	x.Reserve(reading.EventCount(turns))
	for i := range turns {
		if err := x.Feed(turns[i].Events, turns[i].Parked && i == len(turns)-1); err != nil {
			x.Close()
			return err
		}
	}
	t.x, t.execution, t.work = x, n, dispatch.Work{}
	t.work.AddTurns(turns)
	return nil
}

// started returns OrchestrationStarted of the current execution; its Start is
// never nil.
func (r *running) started() *history.Event {
	if r.x != nil {
		if e := r.x.Started(); e != nil && e.Start != nil {
			return e
		}
	}
	return &history.Event{Start: &history.Start{}}
}

// withoutExecution settles messages for an instance that is not there, was
// purged, or has ended and has nothing to be sent again.
func (t *turn) withoutExecution(ctx context.Context) error {
	for _, m := range t.group.open() {
		var err error
		switch {
		case m.Item.Kind == wire.PurgeInstance:
			err = t.purge(ctx, m)
		case m.Item.Kind == wire.StartOrchestration:
			err = t.exists(ctx, m)
		case t.Record != nil && !t.Record.Purged:
			err = t.afterEnd(ctx, m)
		case t.Held():
			err = t.afterPurge(ctx, m)
		default:
			err = t.early(ctx, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// afterEnd: anything for a finished instance is acknowledged, unless it names
// an execution that never was.
func (t *turn) afterEnd(ctx context.Context, m *inbox.Message) error {
	if m.Completion() && m.Item.TargetExecution() > t.Record.ExecutionID {
		return t.DeadLetter(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf(
			"it is for execution %d of instance %q, which ended with execution %d", m.Item.TargetExecution(), t.Instance, t.Record.ExecutionID))
	}
	t.Settle(m, "late")
	return nil
}

// catchUp takes the instance out of the cache and, if a completion among the
// messages names an event that it does not have, feeds it what was appended
// elsewhere since: the new tail alone, so that a turn costs the same
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
