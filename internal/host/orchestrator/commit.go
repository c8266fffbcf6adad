package orchestrator

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/internal/panics"
	"github.com/turnstile-go/turnstile/store"
)

// run runs the code on arrivals, or only records them.
func (a *attempt) run(r *deciding.Run) error {
	seed, err := a.random.Bytes()
	if err != nil {
		return err
	}
	startedAt := a.settler.Clock.Now()
	out, err := a.turn.Running.X.Run(engine.Input{NowMS: startedAt.UnixMilli(), Seed: seed, Park: r.Park, Arrivals: r.Arrivals})
	a.settler.Observer.Timing(host.TimeReplay, a.settler.Clock.Now().Sub(startedAt))
	return a.turn.Ran(out, err)
}

// commitAndDispatch makes a commit durable, and then dispatches its messages.
func (a *attempt) commitAndDispatch(ctx context.Context, c *deciding.Commit, follows []dispatch.Commit) error {
	t := &a.turn
	a.reportProblem(ctx, &c.Mark)
	if err := a.putAnswers(ctx, c); err != nil {
		return err
	}
	if err := a.commit(ctx, c); err != nil {
		return err
	}
	for _, l := range c.Logs {
		a.emit(ctx, l)
	}
	out := a.out.outbox()
	out.Continue(a.out.sent.row)
	for i := range follows {
		out.Add(follows[i])
	}
	t.Chain = out.Chain
	t.Running.Work.Close(c.Cancelled)
	if err := a.out.dispatch(ctx, out); err != nil {
		return err
	}
	if out.Slowed().Messages > 0 {
		a.out.noteLoop(ctx)
	}
	t.Group.Dispatched(follows)
	if len(c.Turns) > 0 {
		a.settler.Observer.Count(host.CountTurns, c.Outcome, 1)
		a.committed(host.Committed{Context: ctx, Turns: c.Turns, Actions: out.Actions(), Outcome: c.Outcome, RequestID: a.id.Of(ctx)})
	}
	if c.Mark.Moved || c.Mark.Recovered != nil {
		a.settler.Observer.ProblemChanged(host.ProblemChange{Instance: t.View.Instance, ExecutionID: t.Running.Execution, At: a.settler.Clock.Now(), Problem: c.Mark.Problem})
	}
	return nil
}

// putAnswers puts the answers that must be stored before a commit.
func (a *attempt) putAnswers(ctx context.Context, c *deciding.Commit) error {
	if len(c.Answers) == 0 {
		return nil
	}
	out, started := a.sender.New(), a.turn.Running.Started()
	of := dispatch.Commit{Turn: &c.Turns[0], Start: started.Start, Name: started.Name}
	for i := range c.Answers {
		out.Answer(&of, &c.Answers[i])
	}
	return a.sender.Send(ctx, out)
}

// reportProblem reports the problem that a commit is about to set, move or clear.
func (a *attempt) reportProblem(ctx context.Context, m *deciding.Mark) {
	if m.Stuck != "" {
		a.settler.Observer.Count(host.CountStuck, string(m.Stuck), 1)
	}
	if m.Problem != nil {
		a.watch.Seen(m.Problem)
	}
	if m.Moved {
		a.settler.Logger.WarnContext(ctx, "instance is stuck", "instance", a.turn.View.Instance, "execution_id", a.turn.Running.Execution,
			"kind", m.Problem.Kind, "event_id", m.Problem.EventID, "message", a.loggedProblem(m.Problem))
	}
	if m.Recovered != nil {
		a.settler.Observer.Count(host.CountRecovered, m.Recovered.Kind, 1)
	}
}

// commit makes one conditional write. A commit without events only changes the record, or does
// nothing.
func (a *attempt) commit(ctx context.Context, c *deciding.Commit) error {
	t := &a.turn
	if len(c.Turns) == 0 {
		return a.commitRecord(ctx, c)
	}
	startedAt := a.settler.Clock.Now()
	w := writing{a.services, t}
	if err := w.noteFork(ctx, c); err != nil {
		return err
	}
	err := w.commitCopy(ctx, c)
	a.settler.Observer.Timing(host.TimeCommit, a.settler.Clock.Now().Sub(startedAt))
	if err != nil {
		return fmt.Errorf("host: turn of instance %q execution %d at event %d: %w", t.View.Instance, t.Running.Execution, c.Turns[0].First(), err)
	}
	t.Took(c)
	switch now := a.settler.Clock.Now(); {
	case dispatch.Ends(&c.Turns[len(c.Turns)-1]):
		a.watch.Ended(now, t.Running.Started().Name)
	case len(c.Turns) > 1:
		a.watch.ContinuedAsNew(now)
	}
	a.warnOfLength(ctx, &c.Turns[0])
	return nil
}

// commitRecord makes a commit that has no events.
func (a *attempt) commitRecord(ctx context.Context, c *deciding.Commit) error {
	if c.Change == nil {
		return nil
	}
	instance := a.turn.View.Instance
	change, err := a.tables.codecs.EncodeChange(instance, c.Change)
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if err := a.tables.Store.UpdateRecord(ctx, instance, *change); err != nil {
		return fmt.Errorf("host: record of instance %q: %w", instance, err)
	}
	a.turn.Took(c)
	return nil
}

// committed notifies the observer of a commit and its dispatch.
func (a *attempt) committed(c host.Committed) {
	g := a.turn.Group
	c.At, c.StartedAt = a.settler.Clock.Now(), a.out.sent.startedAt
	c.Causes, c.Messages = g.Causes(), len(g.Messages)
	c.Before.ExecutionID, c.Before.EventID = a.out.sent.before.Execution, a.out.sent.before.EventID
	a.settler.Observer.Committed(c)
	a.out.sent.startedAt, a.out.sent.before = c.At, dispatch.PlaceOf(&c.Turns[0])
}

// emit writes a line that orchestration code has logged, or calls a function that it passed to
// AfterCommit. A panic in that function is logged, because the turn is committed and must still be
// dispatched.
func (a *attempt) emit(ctx context.Context, l engine.Log) {
	ctx = logattr.Subject{Instance: a.turn.View.Instance, ExecutionID: a.turn.Running.Execution, EventID: l.EventID}.In(ctx)
	switch {
	case l.Func != nil:
		defer func() {
			if v := recover(); v != nil {
				a.settler.Logger.ErrorContext(ctx, "a function that orchestration code passed to AfterCommit panicked", "error", edge.PanicText(v, a.tables.codecs != nil), "stack", panics.Stack(string(debug.Stack())))
			}
		}()
		l.Func()
	case l.Handler != nil && l.Handler.Enabled(ctx, l.Record.Level):
		_ = l.Handler.Handle(ctx, l.Record)
	}
}

// loggedProblem returns the message of a problem for a log line. The record has the whole message.
// The message of a panic, or of code that no longer agrees with its history, may quote a payload,
// and payloads are logged only if that is enabled.
func (o *services) loggedProblem(p *store.Problem) string {
	quotes := p.Kind == string(engine.StuckPanic) || p.Kind == string(engine.StuckNondeterminism)
	if !quotes || o.settler.Settings.LogPayloads || o.tables.codecs != nil { // with codecs the message quotes no payload
		return p.Message
	}
	text := "the instance's record has the reason, which may quote payloads (describe)"
	if p.Diff != nil && p.Diff.At != "" {
		text += "; the code is at " + p.Diff.At
	} else if place := panics.Place(p.Stack); place != "" {
		text += "; the code is at " + place
	}
	return text
}

// warnOfLength logs once per execution when its history has reached 80% of its limit.
func (o *services) warnOfLength(ctx context.Context, committed *store.Turn) {
	at := int64(o.settler.Settings.Limits.Events) / 5 * 4
	if at > 0 && committed.First() <= at && at <= committed.Last() {
		o.settler.Logger.WarnContext(ctx, "history is close to its limit, at which the instance fails; continue as new", "instance", committed.Instance,
			"execution_id", committed.ExecutionID, "events", committed.Last(), "limit", o.settler.Settings.Limits.Events)
	}
}
