package world

import (
	"fmt"
	"iter"
	"runtime/debug"
)

// routine is a coroutine in which invocations run, one after the other: its stack has to grow only
// once, and not for each invocation.
type routine struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	stop   func()
	f      func()
}

// routine returns a coroutine that runs f when it is resumed. The caller that finds f done
// returns it to the idle ones.
func (w *World) routine(f func()) *routine {
	if n := len(w.routines); n > 0 {
		r := w.routines[n-1]
		w.routines = w.routines[:n-1]
		r.f = f
		return r
	}
	r := &routine{f: f}
	r.resume, r.stop = iter.Pull(func(yield func(struct{}) bool) {
		r.yield = yield
		growWide()
		for more := true; more; more = yield(struct{}{}) {
			r.run()
		}
	})
	return r
}

// run runs f. If f panics, the panic carries the stack of f, not the stack of the caller that
// resumes the coroutine.
func (r *routine) run() {
	defer func() {
		if v := recover(); v != nil {
			panic(fmt.Sprintf("%v\n%s", v, debug.Stack()))
		}
	}()
	r.f()
}
