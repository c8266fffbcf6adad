package orchestrator

import (
	"context"
	"runtime/debug"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/store"
)

// emit writes a line that orchestration code has logged, or calls the function
// that it wants called behind the commit. What panics there is logged: the turn
// is committed, and its dispatch has to follow.
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
