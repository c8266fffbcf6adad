package orchestrator

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/cache"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// attempt is one attempt at the turn of a group: its state, and what it sends.
type attempt struct {
	*services
	turn deciding.Turn
	out  sending
}

// sent records the dispatches of a turn.
type sent struct {
	// row is the row of the last dispatch; the next commit of this turn continues it.
	row dispatch.Row
	// startedAt is when the work on the next commit started; before is the last commit of this turn.
	startedAt time.Time
	before    dispatch.Place
}

func (o *maker) attempt(g *deciding.Group, startedAt time.Time) *attempt {
	known := deciding.Known{By: &o.terms, Group: g, View: reading.View{Instance: g.Instance()}, Chain: g.Chain()}
	a := &attempt{services: &o.services, out: sending{&o.services, known, sent{startedAt: startedAt}}}
	a.turn.Begin(&a.out.known)
	return a
}

// make handles the group's messages and settles those that are done. cold forbids the cache, and
// requires the record to be read. After an error the others must be redelivered, except that the
// caller handles store.ErrConflict, *store.TooLargeError, deciding.ErrStale and history.ErrNewer;
// nothing that these errors concern was dispatched.
func (a *attempt) make(ctx context.Context, cold bool) error {
	err := a.load(ctx, cold)
	ctx = a.logContext(ctx)
	if err == nil {
		a.settler.Observer.Count(host.CountCache, a.turn.Running.Heat(), 1)
	}
	for {
		if err = a.turn.Failed(err); err != nil {
			return err
		}
		a.turn.Now = a.now(ctx)
		plan, failed := deciding.Decide(&a.turn)
		if err = failed; err != nil {
			continue
		}
		if plan.Over {
			return nil
		}
		err = a.carryOut(ctx, &plan)
	}
}

// now returns the facts about this process that a decision needs.
func (a *attempt) now(ctx context.Context) deciding.Moment {
	at := a.settler.Clock.Now()
	m := deciding.Moment{At: at, Blocked: a.code.blocked.of(a.turn.View.Instance)}
	switch left, bounded := clock.Left(ctx, a.settler.Clock); {
	case ctx.Err() != nil:
		m.Left = -1
	case bounded:
		m.Left = left
	default:
		m.Left = math.MaxInt64
	}
	return m
}

// release ends the attempt. It removes the suspect mark, whatever the result of the turn, and
// puts the execution into the cache if it may be kept.
func (a *attempt) release(ctx context.Context, err error) {
	t := &a.turn
	a.clearSuspect(ctx, err != nil)
	if t.Running.X == nil {
		return
	}
	if err == nil && t.Keep() && !t.Running.X.Ended() {
		a.cache.Put(&cache.Entry{Instance: t.View.Instance, X: t.Running.X, Execution: t.Running.Execution, Work: t.Running.Work, Record: t.View.Record, Current: t.View.Current})
		return
	}
	t.Running.X.Close()
}

// clearSuspect removes the suspect mark from the record.
func (a *attempt) clearSuspect(ctx context.Context, failed bool) {
	a.turn.Now.At = a.settler.Clock.Now()
	change := a.turn.Cleared(failed)
	if change == nil {
		return
	}
	var err error
	for range 3 {
		// If the mark stayed, the next delivery of the message would be treated as a poison message.
		if err = a.tables.Store.UpdateRecord(ctx, a.turn.View.Instance, *change); err == nil || errors.Is(err, store.ErrConflict) {
			a.turn.View.Changed(change)
			return
		}
	}
	a.settler.Logger.ErrorContext(ctx, "could not remove the suspect mark", "instance", a.turn.View.Instance, "message_id", a.turn.Group.Suspect, "error", err)
}

// logContext returns the context for log lines about a turn, as far as the turn has come.
func (a *attempt) logContext(ctx context.Context) context.Context {
	s := logattr.Subject{Instance: a.turn.View.Instance, ExecutionID: a.turn.Running.Execution}
	if x := a.turn.Running.X; x != nil {
		s.EventID = x.LastEventID()
	}
	return s.In(ctx)
}
