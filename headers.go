package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/names"
)

// WithHeaders returns a context with these headers in addition to those of ctx. Every operation
// that is started with it gets them: each attempt of an activity, also inline ([ActivityInfo]);
// children and detached orchestrations ([Info]) and the operations that these start in turn; and,
// through ContinueAsNew, the next execution. Use headers for a value that travels with the work,
// such as a tenant, a trace, or a value for an [Interceptor]. The scope of cancellation is the same
// as in ctx.
//
//	ctx, err := turnstile.WithHeaders(ctx, map[string]string{"tenant": "c-1"})
//
// Headers are recorded with every operation that is started: keep them short. The limits, together
// with the headers of the start, are 16 headers and 4,096 bytes; names consist of lower-case
// letters, digits, "-", "_" and ".". If the headers break a limit, WithHeaders returns an
// [*InvalidArgumentError]. Headers are not compared on replay, so changing them is safe for running
// instances. They are not encrypted. WithHeaders itself records nothing.
func WithHeaders(ctx Context, headers map[string]string) (Context, error) {
	inner := ctx.engine("WithHeaders").WithHeaders(headers)
	if problem := names.Headers(inner.Info().Headers); problem != "" {
		return ctx, &InvalidArgumentError{Call: "WithHeaders", Argument: "headers", Problem: "cannot be sent: " + problem}
	}
	return Context{inner}, nil
}

// AfterCommit registers fn to be called once, right after the turn that first reaches this call is
// committed, when the lines of [Logger] are written. The process that commits the turn calls it.
// Use AfterCommit for counting and measuring, for example in an [Interceptor]. fn is not called on
// replay or for a turn whose commit fails, and never if the process dies between the commit and the
// call. fn must not block and must not use the orchestration's context; a panic in fn is logged.
// AfterCommit records nothing.
func AfterCommit(ctx Context, fn func()) { ctx.engine("AfterCommit").AfterCommit(fn) }

// IsContinueAsNew reports whether an error that an orchestration returned to an [Interceptor]
// continues the orchestration as new. Such an orchestration has not failed.
func IsContinueAsNew(err error) bool { return engine.ContinuesAsNew(err) }
