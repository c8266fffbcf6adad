package turnstile

import "github.com/turnstile-go/turnstile/engine"

// Select waits until one of the operations is ready and returns its place
// among the arguments. Ready means finished, well or not: await it to learn
// which. If several are ready, the one that became so first in history wins,
// whatever the order of the arguments.
//
// The others are cancelled; [SelectKeep] leaves them open. It records nothing.
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

// SelectKeep is [Select] that does not cancel the others: they go on, and can be
// awaited or selected again. A wait for an event that is kept still takes its
// event, whether or not anybody looks at it again. It records nothing.
func SelectKeep(ctx Context, operations ...Awaitable) (int, error) {
	return selectFirst(ctx, true, operations)
}

func selectFirst(ctx Context, keep bool, futures []Awaitable) (int, error) {
	run := ctx.engine("Select")
	var few [4]*engine.Future // most are between a few, which need no allocation
	return run.Select(keep, appendOperations(few[:0], "Select", futures)...)
}
