package turnstile

import (
	"fmt"
	"log/slog"
	"time"
)

// Now returns the time of the turn, the same on every replay. Use it in place
// of time.Now, which replays to another value. It records one event.
//
// Errors, as for all functions of this file: [ErrNested] inside a side effect.
// They work in a cancelled scope too, for nothing has to be waited for.
func Now(ctx Context) (time.Time, error) { return ctx.engine("Now").Now() }

// UUID returns a new random UUID, the same on every replay. It records one
// event.
func UUID(ctx Context) (string, error) { return ctx.engine("UUID").GUID() }

// SideEffect runs fn once and records what it returns; on replay that is
// returned and fn is not run. It is for small things that are not
// deterministic and take no time: a random number, a setting. What may fail or
// takes time is an activity. fn may run again after a crash, and must not use
// the orchestration's context. It records one event.
//
// An error of fn is recorded in place of the value: it is returned with its
// text and code, and not with its type, for a replay has no other. The name is
// compared on replay.
func SideEffect[T any](ctx Context, name string, fn func() (T, error)) (T, error) {
	run := ctx.engine("SideEffect")
	if fn == nil {
		panic(&MisuseError{Call: "SideEffect", Problem: fmt.Sprintf("the function of %q is nil", name)})
	}
	if err := validName("side effect", name); err != nil {
		panic(&MisuseError{Call: "SideEffect", Problem: err.Error()})
	}
	value, err := run.SideEffect(name, func() ([]byte, error) {
		v, err := fn()
		if err != nil {
			return nil, err
		}
		return encode(v, "value of side effect", name)
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return decode[T](value, "value of side effect", name, run.Sealed())
}

// Annotate records a line in the history itself, for those who read it. It
// records one event; Logger records none.
func Annotate(ctx Context, level slog.Level, message string) error {
	return ctx.engine("Trace").Trace(level, message)
}

// Logger returns a logger that is silent during replay: each line comes out
// once, when the turn that first reached it is committed. It records nothing.
func Logger(ctx Context) *slog.Logger { return ctx.engine("Logger").Logger() }
