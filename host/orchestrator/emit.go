package orchestrator

import (
	"context"
	"runtime/debug"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/internal/logattr"
)

// emit writes a line that orchestration code has logged, or calls the function
// that it wants called behind the commit. What panics there is logged: the turn
// is committed, and its dispatch has to follow.
func (t *turn) emit(ctx context.Context, l engine.Log) {
	ctx = logattr.Subject{Instance: t.Instance, ExecutionID: t.execution, EventID: l.EventID}.In(ctx)
	switch {
	case l.Func != nil:
		defer func() {
			if v := recover(); v != nil {
				t.Logger.ErrorContext(ctx, "a function that orchestration code gave to AfterCommit panicked", "error", edge.PanicText(v, t.Codecs != nil), "stack", engine.AuthorsStack(string(debug.Stack())))
			}
		}()
		l.Func()
	case l.Handler != nil && l.Handler.Enabled(ctx, l.Record.Level):
		_ = l.Handler.Handle(ctx, l.Record)
	}
}
