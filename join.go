package turnstile

import "github.com/turnstile-go/turnstile/engine"

// Join waits for all operations and returns their results in the order of the arguments. If some
// fail, it still waits for the others, and returns the error that comes first in the history.
// Without operations it returns immediately. It records nothing.
func Join[T any](ctx Context, futures ...Future[T]) ([]T, error) {
	run := ctx.engine("Join")
	values, err := run.Join(operations("Join", futures)...)
	if err != nil {
		return nil, explainAmong(err, futures)
	}
	results := make([]T, len(values))
	for i, value := range values {
		if err := futures[i].resultInto(&results[i], value); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// JoinMixed is [Join] for operations of different types: after it has returned without an error,
// awaiting each operation returns its result immediately.
//
//	stock, price := Stock.Start(ctx, item), Price.Start(ctx, item)
//	if err := turnstile.JoinMixed(ctx, stock, price); err != nil {
//		return err
//	}
//	n, _ := stock.Await(ctx)
//
// It records nothing.
func JoinMixed(ctx Context, futures ...Awaitable) error {
	run := ctx.engine("JoinMixed")
	_, err := run.Join(operations("JoinMixed", futures)...)
	return explainAmong(err, futures)
}

// operations returns the engine's futures. It panics for a Future that was never started.
func operations[F Awaitable](call string, futures []F) []*engine.Future {
	return appendOperations(make([]*engine.Future, 0, len(futures)), call, futures)
}

func appendOperations[F Awaitable](ops []*engine.Future, call string, futures []F) []*engine.Future {
	for _, f := range futures {
		var op *engine.Future
		if any(f) != nil {
			op = f.operation()
		}
		if op == nil {
			panic(&MisuseError{Call: call, Problem: "an operation is the zero value: it was never started"})
		}
		ops = append(ops, op)
	}
	return ops
}
