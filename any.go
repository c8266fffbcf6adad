package turnstile

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// AllFailedError has the errors of all operations of an [Any], in the order of the arguments.
// errors.Is and errors.As search each of them.
type AllFailedError struct{ Errs []error }

func (e *AllFailedError) Error() string {
	return fmt.Sprintf("all %d failed: %v", len(e.Errs), errors.Join(e.Errs...))
}

// Unwrap returns Errs.
func (e *AllFailedError) Unwrap() []error { return e.Errs }

// Any waits for the first operation that succeeds. It returns that operation's index among the
// arguments, and its result. The other operations are cancelled. Any records nothing.
//
// Errors: [*AllFailedError] if none succeeds, [*CancelledError] when the scope of
// ctx or the instance is cancelled, [ErrNothingToWaitFor] without operations.
func Any[T any](ctx Context, futures ...Future[T]) (int, T, error) {
	run := ctx.engine("Any")
	var zero T
	i, value, err := run.Any(operations("Any", futures)...)
	if failed, ok := errors.AsType[*engine.AllFailedError](err); ok {
		all := &AllFailedError{Errs: make([]error, len(failed.Errs))}
		for i := range failed.Errs {
			all.Errs[i] = futures[i].explain(failed.Errs[i])
		}
		return -1, zero, all
	}
	if err != nil {
		return -1, zero, err
	}
	result, err := futures[i].result(value)
	return i, result, err
}
