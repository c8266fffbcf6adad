package world

import (
	"fmt"
	"iter"
	"runtime/debug"
)

// routine is a coroutine in which invocations run, one after the other: a stack
// that has grown once need not grow again for each of them.
type routine struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	stop   func()
	f      func()
}

// routine returns a coroutine that runs f when it is resumed. The caller that
// finds f done returns it to the idle ones.
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

// run runs f. A panic of it gets the stack that it comes from, which is not the one of the caller
// that resumes the coroutine.
func (r *routine) run() {
	defer func() {
		if v := recover(); v != nil {
			panic(fmt.Sprintf("%v\n%s", v, debug.Stack()))
		}
	}()
	r.f()
}
