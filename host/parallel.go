package host

import (
	"sync"
	"sync/atomic"
)

// sideBySide calls f for 0 to n-1, at most limit at a time, and returns when
// all have. With a limit of 1 it calls them in order, on this goroutine.
func sideBySide(limit, n int, start func(func()), f func(i int)) {
	if limit <= 1 || n <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(limit, n) {
		all.Add(1)
		start(func() {
			defer all.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}
