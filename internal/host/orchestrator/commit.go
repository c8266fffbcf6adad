package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// run runs arrivals, or records them only.
func (a *attempt) run(r *deciding.Run) error {
	seed, err := a.random.Bytes()
	if err != nil {
		return err
	}
	began := a.desk.Clock.Now()
	a.turn.Ran(a.turn.Running.X.Run(engine.Input{NowMS: began.UnixMilli(), Seed: seed, Park: r.Park, Arrivals: r.Arrivals}))
	a.desk.Observer.Timing(host.TimeReplay, a.desk.Clock.Now().Sub(began))
	return nil
}

// commitAndDispatch makes a commit durable, and then does what follows from it.
func (a *attempt) commitAndDispatch(ctx context.Context, c *deciding.Commit, follows []dispatch.Commit) error {
	t := &a.turn
	a.tellMark(ctx, &c.Mark)
	if err := a.commit(ctx, c); err != nil {
		return err
	}
	for _, l := range c.Logs {
		a.emit(ctx, l)
	}
	out := a.outbox()
	out.GoOn(a.sent.row)
	for i := range follows {
		out.Add(follows[i])
	}
	t.Chain = out.Chain
	t.Running.Work.Close(c.Cancelled)
	if err := a.dispatch(ctx, out); err != nil {
		return err
	}
	if out.Slowed().Messages > 0 {
		a.noteLoop(ctx)
	}
	t.Group.Dispatched(follows)
	if len(c.Turns) > 0 {
		a.desk.Observer.Count(host.CountTurns, c.Outcome, 1)
		a.committed(host.Committed{Context: ctx, Turns: c.Turns, Actions: out.Actions(), Outcome: c.Outcome, RequestID: a.id.Of(ctx)})
	}
	if c.Mark.Moved || c.Mark.Recovered != nil {
		a.desk.Observer.ProblemChanged(host.ProblemChange{Instance: t.View.Instance, ExecutionID: t.Running.Execution, At: a.desk.Clock.Now(), Problem: c.Mark.Problem})
	}
	return nil
}

// tellMark tells of the mark that a commit is about to set, to move or to clear.
func (a *attempt) tellMark(ctx context.Context, m *deciding.Mark) {
	if m.Stuck != "" {
		a.desk.Observer.Count(host.CountStuck, string(m.Stuck), 1)
	}
	if m.Problem != nil {
		a.watch.Seen(m.Problem)
	}
	if m.Moved {
		a.desk.Logger.WarnContext(ctx, "instance is stuck", "instance", a.turn.View.Instance, "execution_id", a.turn.Running.Execution,
			"kind", m.Problem.Kind, "event_id", m.Problem.EventID, "message", a.loggedProblem(m.Problem))
	}
	if m.Recovered != nil {
		a.desk.Observer.Count(host.CountRecovered, m.Recovered.Kind, 1)
	}
}

// commit makes one conditional write. A commit without events only
// changes the record, or does nothing.
func (a *attempt) commit(ctx context.Context, c *deciding.Commit) error {
	t := &a.turn
	if len(c.Turns) == 0 {
		return a.commitRecord(ctx, c)
	}
	began := a.desk.Clock.Now()
	if err := a.noteFork(ctx, c); err != nil {
		return err
	}
	err := a.once(ctx, c)
	if isA[*store.TooLargeError](err) && c.TakesOver > 0 {
		if err = a.writeAhead(ctx, c); err == nil {
			err = a.once(ctx, c)
		}
	}
	a.desk.Observer.Timing(host.TimeCommit, a.desk.Clock.Now().Sub(began))
	if err != nil {
		return fmt.Errorf("host: turn of instance %q execution %d at event %d: %w", t.View.Instance, t.Running.Execution, c.Turns[0].First(), err)
	}
	t.Took(c)
	switch now := a.desk.Clock.Now(); {
	case dispatch.Ends(&c.Turns[len(c.Turns)-1]):
		a.watch.Ended(now, t.Running.Started().Name)
	case len(c.Turns) > 1:
		a.watch.ContinuedAsNew(now)
	}
	a.warnOfLength(ctx, &c.Turns[0])
	return nil
}

// once makes the write of a commit, with new tokens.
func (a *attempt) once(ctx context.Context, c *deciding.Commit) error {
	for i := range c.Turns {
		token, err := a.random.Hex() // new for each content
		if err != nil {
			return err
		}
		c.Turns[i].Token = token
	}
	sealed, err := a.desk.Edge.Sealed(a.turn.View.Instance, store.Commit{Turns: c.Turns, Record: c.Change})
	if err != nil {
		return err
	}
	// Only the identical append may be repeated: it finds its own, or
	// lands now. Reading back would prove nothing.
	return a.insists(ctx, c, func() error { return a.tables.Store.Commit(ctx, sealed) })
}

// insists makes a write of a commit, and repeats it as long as that may help.
func (a *attempt) insists(ctx context.Context, c *deciding.Commit, write func() error) error {
	err := write()
	for n := 1; a.commitsAgain(ctx, c, n, err); n++ {
		err = write()
	}
	return err
}

// commitRecord makes a commit that has no events.
func (a *attempt) commitRecord(ctx context.Context, c *deciding.Commit) error {
	if c.Change == nil {
		return nil
	}
	instance := a.turn.View.Instance
	change, err := a.tables.codecs.SealChange(instance, c.Change)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if err := a.tables.Store.UpdateRecord(ctx, instance, *change); err != nil {
		return fmt.Errorf("host: record of instance %q: %w", instance, err)
	}
	a.turn.Took(c)
	return nil
}

// commitsAgain reports whether a commit is repeated that has failed n times, and
// waits until it may be. One that is throttled is repeated after growing pauses:
// as long as there is time, if it holds results of inline activities, because
// these would run again.
func (o *maker) commitsAgain(ctx context.Context, c *deciding.Commit, n int, err error) bool {
	s := o.desk.Settings
	switch {
	case errors.Is(err, store.ErrUnknownOutcome):
		return n < s.Turn.CommitAttempts && ctx.Err() == nil
	case errors.Is(err, store.ErrUnavailable):
		return (n < s.Turn.CommitAttempts || c.Insists) && clock.HasTime(ctx, o.desk.Clock, s.Dispatch.Time) && backoff.Pause(ctx, o.desk.Clock, o.random, n) == nil
	}
	return false
}

// committed tells the observer of a commit and its dispatch.
func (a *attempt) committed(c host.Committed) {
	g := a.turn.Group
	c.At, c.Began = a.desk.Clock.Now(), a.sent.began
	c.Causes, c.Messages = g.Causes(), len(g.Messages)
	c.Before.ExecutionID, c.Before.EventID = a.sent.before.Execution, a.sent.before.EventID
	a.desk.Observer.Committed(c)
	a.sent.began, a.sent.before = c.At, dispatch.PlaceOf(&c.Turns[0])
}

// emit writes a line that orchestration code has logged, or calls its function
// of AfterCommit. A panic in it is logged: the turn is committed, and its
// dispatch must follow.
func (a *attempt) emit(ctx context.Context, l engine.Log) {
	ctx = logattr.Subject{Instance: a.turn.View.Instance, ExecutionID: a.turn.Running.Execution, EventID: l.EventID}.In(ctx)
	switch {
	case l.Func != nil:
		defer func() {
			if v := recover(); v != nil {
				a.desk.Logger.ErrorContext(ctx, "a function that orchestration code gave to AfterCommit panicked", "error", edge.PanicText(v, a.tables.codecs != nil), "stack", engine.AuthorsStack(string(debug.Stack())))
			}
		}()
		l.Func()
	case l.Handler != nil && l.Handler.Enabled(ctx, l.Record.Level):
		_ = l.Handler.Handle(ctx, l.Record)
	}
}

// loggedProblem is what a line says of a problem. The record has all of it; the
// message of a panic, or of code that no longer agrees with its history, may quote a
// payload, which logs have only if they are to.
func (o *maker) loggedProblem(p *store.Problem) string {
	quotes := p.Kind == string(engine.StuckPanic) || p.Kind == string(engine.StuckNondeterminism)
	if !quotes || o.desk.Settings.LogPayloads || o.tables.codecs != nil { // with codecs it quotes none
		return p.Message
	}
	text := "see the instance's record for the reason (describe), which may quote payloads"
	if p.Diff != nil && p.Diff.At != "" {
		text += "; the code is at " + p.Diff.At
	} else if place := engine.PlaceOf(p.Stack); place != "" {
		text += "; the code is at " + place
	}
	return text
}

// warnOfLength logs once an execution that its history has reached four fifths
// of what it may.
func (o *maker) warnOfLength(ctx context.Context, committed *store.Turn) {
	at := int64(o.desk.Settings.Limits.Events) / 5 * 4
	if at > 0 && committed.First() <= at && at <= committed.Last() {
		o.desk.Logger.WarnContext(ctx, "history nears its limit, at which the instance fails: continue as new", "instance", committed.Instance,
			"execution_id", committed.ExecutionID, "events", committed.Last(), "limit", o.desk.Settings.Limits.Events)
	}
}
