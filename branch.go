package turnstile

import (
	"runtime"

	"github.com/turnstile-go/turnstile/engine"
)

// Go starts a branch: fn runs concurrently with the code that started it, and the Future has its
// result. Only one branch runs at a time, until it blocks in a durable call, so branches may share
// variables without locks. A new branch first runs when the code that started it blocks. Go records
// nothing.
//
//	stock := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
//		if _, err := Refresh.Call(ctx, item); err != nil {
//			return 0, err
//		}
//		return Count.Call(ctx, item)
//	})
//
// Use the Context that fn receives: it has its own scope inside the scope of ctx, and
// [Future.Cancel] cancels that scope. The result is passed as a Go value, not as JSON. When the
// orchestration returns, its branches stop where they are blocked.
//
// An instance may have 10,000 branches at a time; one more makes it stuck.
func Go[T any](ctx Context, fn func(Context) (T, error)) Future[T] {
	run := ctx.engine("Go")
	if fn == nil {
		panic(&MisuseError{Call: "Go", Problem: "the function is nil"})
	}
	return goFrom(run, nil, fn)
}

// goFrom is Go for the functions of this package: errors point to origin.
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

// origin returns the call stack above the exported function that starts branches.
func origin() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(3, pcs)]
}
