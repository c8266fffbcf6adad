package orchestrator

import (
	"context"
	"errors"
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

// attempt is one at the turn of a group: what is known, which decisions go by, and what
// was dispatched.
type attempt struct {
	*maker
	turn deciding.Turn
	sent sent
}

// sent is what a turn has dispatched.
type sent struct {
	// row is the row of the last dispatch: the next commit of this turn continues
	// it.
	row dispatch.Row
	// began is when the work on the next commit did, before the commit that this
	// turn has made last.
	began  time.Time
	before dispatch.Place
}

func (o *maker) attempt(g *deciding.Group, cold bool, began time.Time) *attempt {
	return &attempt{maker: o, sent: sent{began: began},
		turn: deciding.Turn{By: &o.terms, Group: g, Cold: cold, View: reading.View{Instance: g.Instance}, Chain: g.Chain()}}
}

// make takes the group's messages through. It settles the messages that are done; with an
// error, the others must be redelivered. store.ErrConflict, *store.TooLargeError,
// deciding.ErrStale and history.ErrNewer ask for more; nothing that they concern was
// dispatched.
func (a *attempt) make(ctx context.Context) error {
	err := a.load(ctx)
	ctx = a.about(ctx)
	if err == nil {
		a.desk.Observer.Count(host.CountCache, a.turn.Running.Heat(), 1)
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

// now is what a decision has to know of this process.
func (a *attempt) now(ctx context.Context) deciding.Moment {
	at := a.desk.Clock.Now()
	m := deciding.Moment{At: at, Blocked: a.code.blocked.of(a.turn.View.Instance)}
	if m.Left, m.Bounded = clock.Left(ctx, a.desk.Clock); ctx.Err() != nil {
		m.Left, m.Bounded = -1, true
	}
	return m
}

// release ends the attempt: the suspect's mark goes, however the turn
// returned, and what may be kept goes into the cache.
func (a *attempt) release(ctx context.Context, err error) {
	t := &a.turn
	a.clearSuspect(ctx, err != nil)
	if t.Running.X == nil {
		return
	}
	if err == nil && t.Keep && !t.Running.X.Ended() {
		a.cache.Put(&cache.Entry{Instance: t.View.Instance, X: t.Running.X, Execution: t.Running.Execution, Work: t.Running.Work, Record: t.View.Record, Current: t.View.Current})
		return
	}
	t.Running.X.Close()
}

// clearSuspect removes the mark of the suspect from the record.
func (a *attempt) clearSuspect(ctx context.Context, failed bool) {
	a.turn.Now.At = a.desk.Clock.Now()
	change := a.turn.Cleared(failed)
	if change == nil {
		return
	}
	var err error
	for range 3 {
		// With a flag that stays, the next turn of the message would be taken for a
		// killer.
		if err = a.tables.Store.UpdateRecord(ctx, a.turn.View.Instance, *change); err == nil || errors.Is(err, store.ErrConflict) {
			a.turn.View.Changed(change)
			return
		}
	}
	a.desk.Logger.ErrorContext(ctx, "suspect's mark not removed", "instance", a.turn.View.Instance, "message_id", a.turn.Group.Suspect, "error", err)
}

// about returns the context of what is logged of a turn, as far as it has come.
func (a *attempt) about(ctx context.Context) context.Context {
	s := logattr.Subject{Instance: a.turn.View.Instance, ExecutionID: a.turn.Running.Execution}
	if x := a.turn.Running.X; x != nil {
		s.EventID = x.LastEventID()
	}
	return s.In(ctx)
}
