package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/names"
)

// WithHeaders returns a context with these headers besides those that ctx has:
// whatever is started with it gets them. These are activities, also inline, in
// each attempt ([ActivityInfo]), children and detached orchestrations ([Info]),
// everything that they start in turn, and, by ContinueAsNew, the next execution.
// So a value goes with the work: a tenant, a trace, a value for an [Interceptor].
// The scope of cancellation is the same as in ctx.
//
//	ctx, err := turnstile.WithHeaders(ctx, map[string]string{"tenant": "c-1"})
//
// They are recorded with what is started, each time: keep them short. At most 16,
// 4,096 bytes in all, with those of the start; names of lower-case letters, digits,
// "-", "_" and ".". More is an [*InvalidArgumentError]. They are not compared on
// replay, so that other ones are safe for running instances, and not sealed. It
// records nothing by itself.
func WithHeaders(ctx Context, headers map[string]string) (Context, error) {
	inner := ctx.engine("WithHeaders").WithHeaders(headers)
	if problem := names.Headers(inner.Info().Headers); problem != "" {
		return ctx, &InvalidArgumentError{Call: "WithHeaders", Argument: "headers", Problem: "cannot be sent: " + problem}
	}
	return Context{inner}, nil
}

// AfterCommit has fn called once for this place in the code: by the process that
// commits the turn which first reaches it, right after the commit, as the lines
// of [Logger] are written. It is for what counts or measures, as an [Interceptor]
// does: not called on replay, nor for a turn whose commit is lost, and never if
// the process dies in between. fn must not block, and has no use for the
// context; a panic in it is logged. It records nothing.
func AfterCommit(ctx Context, fn func()) { ctx.engine("AfterCommit").AfterCommit(fn) }

// IsContinueAsNew reports whether the error that an orchestration returned, as an
// [Interceptor] meets it, continues it as new: then it has not failed.
func IsContinueAsNew(err error) bool { return engine.ContinuesAsNew(err) }
