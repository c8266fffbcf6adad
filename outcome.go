package turnstile

import (
	"iter"
)

// Outcome is how one of several operations ended.
type Outcome[T any] struct {
	// Value is the result; the zero value if Err is set.
	Value T
	// Err as [Future.Await] would return it.
	Err error
}

// Settle waits for all operations, and returns how each of them ended, in the
// order of the arguments. Over nothing it returns at once. It records nothing.
//
// Errors: only an error of the waiting itself, [*CancelledError] when the scope of
// ctx or the instance is cancelled.
func Settle[T any](ctx Context, futures ...Future[T]) ([]Outcome[T], error) {
	run := ctx.engine("Settle")
	all, err := run.Settle(operations("Settle", futures)...)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome[T], len(all))
	for i, o := range all {
		outcomes[i] = futures[i].outcome(o.Value, o.Err)
	}
	return outcomes, nil
}

// AsCompleted yields place and outcome of each operation as it ends, in the
// order of history. It records nothing.
//
//	for i, quote := range turnstile.AsCompleted(ctx, quotes...) {
//		if quote.Err == nil && quote.Value.Price < limit {
//			return suppliers[i], nil
//		}
//	}
//
// Leaving the loop leaves the others open; they can still be awaited. When the
// scope of ctx or the instance is cancelled, it yields -1 with the
// [*CancelledError], and ends.
func AsCompleted[T any](ctx Context, futures ...Future[T]) iter.Seq2[int, Outcome[T]] {
	run := ctx.engine("AsCompleted")
	ops := operations("AsCompleted", futures)
	return func(yield func(int, Outcome[T]) bool) {
		for i, o := range run.AsCompleted(ops...) {
			outcome := Outcome[T]{Err: o.Err}
			if i >= 0 {
				outcome = futures[i].outcome(o.Value, o.Err)
			}
			if !yield(i, outcome) {
				return
			}
		}
	}
}

func (f Future[T]) outcome(value []byte, err error) Outcome[T] {
	if err != nil {
		return Outcome[T]{Err: f.explain(err)}
	}
	v, err := f.result(value)
	return Outcome[T]{Value: v, Err: err}
}
