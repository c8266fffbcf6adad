package turnstile

import "github.com/turnstile-go/turnstile/engine"

// Join waits for all operations and returns their results in the order of the
// arguments. Where some fail, it waits for the others all the same, and
// returns the error that is first in history. Over nothing it returns at once.
// It records nothing.
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

// JoinMixed is [Join] of operations of different types: when it has returned
// without an error, awaiting each returns its result at once.
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

// operations returns the engine's side of futures that were all started.
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
