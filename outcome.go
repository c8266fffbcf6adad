package turnstile

import (
	"iter"
)

// Outcome is the result or the error of one of several operations.
type Outcome[T any] struct {
	// Value is the result; the zero value if Err is set.
	Value T
	// Err is the error that [Future.Await] would return.
	Err error
}

// JoinSettled waits for all operations and returns the outcome of each, in the order of the
// arguments. Without operations it returns immediately. It records nothing.
//
// The only error is a [*CancelledError], when the scope of ctx or the instance is cancelled.
func JoinSettled[T any](ctx Context, futures ...Future[T]) ([]Outcome[T], error) {
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

// AsCompleted yields the index and the outcome of each operation as it ends, in the order of the
// history. It records nothing.
//
//	for i, quote := range turnstile.AsCompleted(ctx, quotes...) {
//		if quote.Err == nil && quote.Value.Price < limit {
//			return suppliers[i], nil
//		}
//	}
//
// Operations that have not ended when the loop is left stay open, and can still be awaited. When
// the scope of ctx or the instance is cancelled, AsCompleted yields -1 with the [*CancelledError],
// and ends.
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
