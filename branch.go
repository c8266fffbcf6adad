package turnstile

import (
	"runtime"

	"github.com/turnstile-go/turnstile/engine"
)

// Go starts a branch: fn runs side by side with the code that started it, and
// its result is the Future's. One branch runs at a time, until it blocks in a
// durable call, so branches may share variables without locks; a new one first
// runs when the code that started it blocks. It records nothing.
//
//	stock := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
//		if _, err := Refresh.Call(ctx, item); err != nil {
//			return 0, err
//		}
//		return Count.Call(ctx, item)
//	})
//
// Use the Context that fn is given: it has its own scope inside the scope of ctx,
// which [Future.Cancel] cancels. The result is handed over as it is, not as JSON.
// When the orchestration returns, its branches end where they stand.
//
// An instance may have 10,000 branches at once; one more parks it.
func Go[T any](ctx Context, fn func(Context) (T, error)) Future[T] {
	run := ctx.engine("Go")
	if fn == nil {
		panic(&MisuseError{Call: "Go", Problem: "the function is nil"})
	}
	return goFrom(run, nil, fn)
}

// goFrom is Go of a function that is ours: errors then point to origin.
func goFrom[T any](run *engine.Context, origin []uintptr, fn func(Context) (T, error)) Future[T] {
	result := new(T)
	op := run.GoFrom(origin, func(c *engine.Context) ([]byte, error) {
		value, err := fn(Context{c})
		if err == nil {
			*result = value
		}
		return nil, err
	})
	return Future[T]{op: op, local: result, name: "branch"}
}

// origin returns the callers of a function that is called by one of the
// surface, which starts branches.
func origin() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(3, pcs)]
}
