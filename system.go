package turnstile

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Now returns the time of the turn, the same on every replay. Use it instead of time.Now, which
// returns a different value on each replay. It records one event.
//
// Now, [UUID], [Random], [Annotate], [Patched] and [PatchRetired] return no error, because only a
// mistake in the program can make them fail. They also work in a cancelled scope. Where no durable
// call may be made (inside a side effect or an inline activity, on another goroutine, or after the
// orchestration has ended) they panic with a [*MisuseError], which wraps the error that other
// durable calls return there. In a deferred function that runs while the orchestration is unloaded
// they return the zero value and record nothing.
func Now(ctx Context) time.Time {
	t, err := ctx.engine("Now").Now()
	return recorded("Now", t, err)
}

// UUID returns a new random UUID, the same on every replay. It records one
// event. It panics as [Now] does if it is misused.
func UUID(ctx Context) string {
	id, err := ctx.engine("UUID").GUID()
	return recorded("UUID", id, err)
}

// SideEffect runs fn and records the value that it returns; replay returns the recorded value
// without running fn. Use it for quick calls that are not deterministic, such as reading a random
// number or a setting. Use an activity for work that can fail or takes time. It records one event.
//
// fn runs before its turn is committed, and only the committed value is used. So fn may run more
// than once: after a crash, or because another process has recorded another event for the instance
// in the meantime, such as a terminate. fn must change nothing, and must not use the
// orchestration's context. An inline activity, in contrast, runs after its input is committed.
//
// If fn returns an error, it is recorded instead of a value. The returned error has its text and
// code, but not its type, because the history does not keep types. The name is compared on replay.
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
	return decode[T](value, "value of side effect", name, run.Encoded())
}

// Annotate records a message in the history for its readers. It records one event; [Logger] records
// none. It panics as [Now] does if it is misused.
func Annotate(ctx Context, level slog.Level, message string) {
	recorded("Annotate", struct{}{}, ctx.engine("Annotate").Trace(level, message))
}

// recorded returns the value of a call that returns no error. An error is a misuse of the context,
// except [ErrUnwinding]: a deferred function cannot know that it runs at the end of a turn, where
// its calls record nothing.
func recorded[T any](call string, value T, err error) T {
	if err != nil && !errors.Is(err, ErrUnwinding) {
		if misuse, is := errors.AsType[*MisuseError](err); is {
			named := *misuse
			named.Call = call // as its caller knows it
			panic(&named)
		}
		panic(&MisuseError{Call: call, Problem: err.Error(), Err: err})
	}
	return value
}

// Logger returns a logger that is silent during replay: each line is written once, when the turn
// that first reached it is committed. It records nothing. The runtime's option sets the
// destination: awslambda.WithLogger, embedded.WithLogger or turnstiletest.WithLogger.
func Logger(ctx Context) *slog.Logger { return ctx.engine("Logger").Logger() }
