package turnstile

import "github.com/turnstile-go/turnstile/engine"

// Select waits until one of the operations is ready and returns its index among the arguments. An
// operation is ready when it has completed or failed; await it to get the result or the error. If
// several are ready, the one that completed first in the history wins, whatever the order of the
// arguments.
//
// The other operations are cancelled; [SelectWithoutCancel] keeps them. Select records nothing.
//
//	ship, timeout := Ship.Start(ctx, o), turnstile.After(ctx, time.Hour)
//	first, err := turnstile.Select(ctx, ship, timeout)
//	switch {
//	case err != nil:
//		return err // cancelled
//	case first == 0:
//		receipt, err := ship.Await(ctx)
//		...
//
// Errors: [*CancelledError] when the scope of ctx or the instance is cancelled,
// [ErrNothingToWaitFor] without operations.
func Select(ctx Context, operations ...Awaitable) (int, error) {
	return selectFirst(ctx, false, operations)
}

// SelectWithoutCancel is [Select] without the cancellation: the other operations continue, and can be
// awaited or selected again. A wait for an event that is kept still takes the next event, even if
// the code never awaits it. SelectWithoutCancel records nothing.
func SelectWithoutCancel(ctx Context, operations ...Awaitable) (int, error) {
	return selectFirst(ctx, true, operations)
}

func selectFirst(ctx Context, keep bool, futures []Awaitable) (int, error) {
	run := ctx.engine("Select")
	var few [4]*engine.Future // Most calls have few operations, and need no allocation.
	return run.Select(keep, appendOperations(few[:0], "Select", futures)...)
}
