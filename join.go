package turnstile

import "github.com/turnstile-go/turnstile/engine"

// Join waits for all operations and returns their results in the order of the
// arguments. Where some fail, it waits for the others all the same, and
// returns the error that is first in history. Over nothing it returns at once.
// It records nothing.
func Join[T any](ctx Context, futures ...Future[T]) ([]T, error) {
	run := ctx.engine("Join")
	ops := make([]*engine.Future, len(futures))
	for i, f := range futures {
		if f.op == nil {
			panic(&MisuseError{Call: "Join", Problem: "a Future is the zero value: it was never started"})
		}
		ops[i] = f.op
	}
	values, err := run.Join(ops...)
	if err != nil {
		return nil, explainAmong(err, futures)
	}
	results := make([]T, len(values))
	for i, value := range values {
		if futures[i].kind == ofTimer {
			continue
		}
		if results[i], err = decode[T](value, futures[i].what(), futures[i].name); err != nil {
			return nil, err
		}
	}
	return results, nil
}
