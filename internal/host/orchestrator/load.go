package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/cache"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// load determines the state of the instance with as few reads as possible:
//
//   - none, if the instance is in the cache (a stale instance loses its
//     conditional write and is discarded), or only the new tail of the history,
//     if a message shows that the instance is stale;
//   - the history of the execution that all messages name, if they are
//     completions;
//   - otherwise the record, and the history of its execution, unless the
//     execution has ended and nothing needs to be sent again.
//
// A redelivered message is handled from the store, and so is a message that is settled without a
// commit that would show that the cache is stale (a wake, a terminate, a purge, a parent's cancel).
func (a *attempt) load(ctx context.Context, cold bool) error {
	t := &a.turn
	open := t.Group.Open()
	if cold || deciding.ByWhatIsStored(open) {
		if e := a.cache.Take(t.View.Instance); e != nil {
			e.X.Close()
		}
		return a.loadByRecord(ctx, open)
	}
	if found, err := a.catchUp(ctx, open); found || err != nil {
		return err
	}
	if n := deciding.CommonExecution(open); n > 0 {
		turns, err := a.tables.source.Read(ctx, &t.View, n)
		if err == nil && len(turns) > 0 && !turns[len(turns)-1].Parked && !dispatch.Ends(&turns[len(turns)-1]) {
			return a.feed(n, turns)
		}
		if err != nil && !reading.Corrupt(err) {
			return err
		}
		// The record is needed in three cases. If the history is missing or damaged, the record
		// shows whether it was purged. If the last arrivals are parked, the record says why. If the
		// execution has ended, the record shows whether the instance was redriven and has copied
		// the operations that the messages complete.
	}
	return a.loadByRecord(ctx, open)
}

func (a *attempt) loadByRecord(ctx context.Context, open []*inbox.Message) error {
	t := &a.turn
	if err := a.read(ctx, &deciding.Read{What: deciding.Record}); err != nil {
		return err
	}
	t.Now.At = a.settler.Clock.Now()
	execution, has := t.Stands(open)
	switch has {
	case deciding.NoExecution:
		return nil
	case deciding.Starts:
		t.Running.Stage, t.Running.Execution = deciding.Starting, execution
		t.Running.X, t.Running.Work = a.newExecution(execution), dispatch.Work{}
		return nil
	}
	turns, err := a.tables.source.Read(ctx, &t.View, execution)
	if edge.MissesCodec(err) && t.OnlyHides() {
		return nil
	}
	if err != nil {
		return err
	}
	if reading.ContinuedAsNew(turns) {
		// Between the two reads the instance continued with another execution. A message for the new
		// execution must not be checked against this one.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.View.Instance, execution, store.ErrConflict)
	}
	return a.feed(execution, turns)
}

// catchUp takes the instance out of the cache. If a completion among the messages names an event
// that the instance does not have, catchUp feeds it the events that other processes have appended
// since: only the new tail, so that a turn costs the same however long the history is, and on
// whichever warm process it runs. It reports false if the cache has nothing to continue from.
func (a *attempt) catchUp(ctx context.Context, open []*inbox.Message) (bool, error) {
	t := &a.turn
	e := a.cache.Take(t.View.Instance)
	if e == nil {
		return false, nil
	}
	later, behind := deciding.Ahead(open, e.Execution, e.X.LastEventID())
	if later {
		e.X.Close()
		return false, nil
	}
	if behind {
		if usable, err := a.feedTail(ctx, e); !usable || err != nil {
			// Loaded again from the store; if arrivals are parked, the record says why.
			e.X.Close()
			return false, err
		}
	}
	t.Running = deciding.Running{X: e.X, Execution: e.Execution, Work: e.Work, Warm: true}
	t.View.Record, t.View.Current = e.Record, e.Current && !behind
	return true, nil
}

// feedTail feeds a cached execution the events that other processes have appended.
func (a *attempt) feedTail(ctx context.Context, e *cache.Entry) (usable bool, err error) {
	turns, err := a.tables.source.Tail(ctx, e.Instance, e.Execution, e.X.LastEventID()+1)
	if err != nil && !reading.Corrupt(err) {
		return false, fmt.Errorf("host: reading the tail of the history of instance %q execution %d: %w", e.Instance, e.Execution, err)
	}
	if err == nil && len(turns) > 0 {
		err = e.X.Feed(reading.EventsOf(turns), turns[len(turns)-1].Parked)
		e.Work.AddTurns(turns)
	}
	return err == nil && !e.X.Ended() && (len(turns) == 0 || !turns[len(turns)-1].Parked), nil
}

func (a *attempt) newExecution(n int64) *engine.Execution {
	instance, options := a.turn.View.Instance, a.code.options
	if a.tables.codecs != nil {
		options.Conceal = concealing(instance, n, a.sender.Keys)
	}
	return engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: a.terms.Orchestrations, Options: options})
}

// feed makes the execution from the turns that were read.
func (a *attempt) feed(n int64, turns []store.Turn) error {
	x := a.newExecution(n)
	x.Reserve(reading.EventCount(turns))
	for i := range turns {
		if err := x.Feed(turns[i].Events, turns[i].Parked && i == len(turns)-1); err != nil {
			x.Close()
			return err
		}
	}
	r := &a.turn.Running
	r.X, r.Execution, r.Work = x, n, dispatch.Work{}
	r.Work.AddTurns(turns)
	return nil
}

// goTo continues with the next execution. Its first events were committed together with the end of
// the previous execution, or a start restarts or redrives the instance.
func (a *attempt) goTo(ctx context.Context, next *deciding.Next) error {
	r := &a.turn.Running
	if next.By != nil {
		if err := a.settler.Keep(ctx, next.By); err != nil {
			return fmt.Errorf("host: could not start execution %d of instance %q: %w", next.Again, a.turn.View.Instance, err)
		}
	}
	if r.X != nil {
		r.X.Close()
		r.X = nil
	}
	if next.Again > 0 {
		*r = deciding.Running{Execution: next.Again, Stage: deciding.Starting, Work: dispatch.Work{}, Redriven: next.Redriven, Origin: reading.View{Record: next.Of}}
		r.X = a.newExecution(next.Again)
		if d := next.Redriven; d != nil && len(d.Prefix) > 0 {
			r.X.Reserve(len(d.Prefix))
			return r.X.Feed(d.Prefix, false)
		}
		return nil
	}
	r.Execution++
	r.X, r.Work, r.Warm = a.newExecution(r.Execution), dispatch.Work{}, false
	r.Work.Add(next.Events)
	// The engine made these events itself, so they cannot be corrupt.
	_ = r.X.Feed(next.Events, true)
	return nil
}
