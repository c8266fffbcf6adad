package engine

import (
	"runtime"
	"testing"
)

// A wait does not walk the stack to detect a deferred function, if the runtime's own
// pointer shows it.
func TestUnwindingIsDetectedWithoutAStackTrace(t *testing.T) {
	t.Parallel()
	if known := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"; quickTells() != known {
		t.Fatalf("on %s the pointer of the runtime is reliable: %t; its offset may have changed in %s", runtime.GOARCH, quickTells(), runtime.Version())
	}
	told := func(where string, want bool) {
		t.Helper()
		if quick, stack := panicWord() != 0, unwindingByStack(); quickTells() && quick != want || stack != want || unwindingNow() != want {
			t.Errorf("%s: by the pointer %t, by the stack %t, together %t; want %t", where, quick, stack, unwindingNow(), want)
		}
	}
	// Like orchestration code, on its own goroutine.
	run := func(f func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	run(func() { told("plain code", false) })
	run(func() {
		defer told("a deferred function after a return", false)
		for range 1 {
			defer told("a deferred function in a loop", false)
		}
	})
	run(func() {
		defer func() {
			defer told("a deferred function of a function that has recovered", true)
			told("during a panic", true)
			func() {
				defer func() { _ = recover() }()
				defer told("during a second panic", true)
				panic("second")
			}()
			told("after the second panic", true)
			_ = recover()
			told("in the function that has recovered", true)
		}()
		panic("first")
	})
	run(func() {
		func() {
			defer func() { _ = recover() }()
			panic("over")
		}()
		told("behind a panic that was recovered", false)
		defer func() {
			told("while the goroutine exits", true)
			func() { told("deeper", true) }()
		}()
		runtime.Goexit()
	})
	run(func() {
		defer func() { _ = recover() }()
		defer func() {
			// Open-coded and heap-allocated defers alike.
			for range 70 {
				func() { told("far from the panic", true) }()
			}
		}()
		var nothing *int
		*nothing = 1
	})
}
