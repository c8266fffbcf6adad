package sharing

import (
	"context"
	"sync"
	"sync/atomic"
)

// SideBySide calls f for 0 to n-1, at most limit at a time, and returns when all calls have
// returned. With a limit of 1 it calls them in order on this goroutine. Otherwise up to limit calls
// run concurrently and share the queue calls of the context's invocation. A function that has
// returned sends nothing more, so no queue call waits for it.
func SideBySide(ctx context.Context, limit, n int, together func(int, func()), f func(i int)) {
	if limit <= 1 || n <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	limit = min(limit, n)
	s := of(ctx)
	s.come(limit - 1)
	together(limit, func() {
		defer s.come(-1)
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	})
	s.come(1)
}

// OnGoroutines runs f n times concurrently, each on its own goroutine.
func OnGoroutines(start func(func())) func(n int, f func()) {
	return func(n int, f func()) {
		var all sync.WaitGroup
		for range n {
			all.Add(1)
			start(func() {
				defer all.Done()
				f()
			})
		}
		all.Wait()
	}
}
