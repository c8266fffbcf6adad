package engine

import (
	"runtime"
	"testing"
)

// A wait takes no stack to find out whether a deferred function waits, where
// the runtime's own note tells.
func TestWhatUnwindsIsToldWithoutAStack(t *testing.T) {
	t.Parallel()
	if known := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"; quickTells() != known {
		t.Fatalf("on %s the note of the runtime tells: %t; its place may have moved in %s", runtime.GOARCH, quickTells(), runtime.Version())
	}
	told := func(where string, want bool) {
		t.Helper()
		if quick, stack := panicWord() != 0, unwindingByStack(); quickTells() && quick != want || stack != want || unwindingNow() != want {
			t.Errorf("%s: told %t, by the stack %t, together %t; want %t", where, quick, stack, unwindingNow(), want)
		}
	}
	// As orchestration code is: on a goroutine of its own.
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
		defer told("a deferred function behind a return", false)
		for range 1 {
			defer told("one in a loop", false)
		}
	})
	run(func() {
		defer func() {
			defer told("a deferred function of one that has recovered", true)
			told("while a panic is under way", true)
			func() {
				defer func() { _ = recover() }()
				defer told("while a second is", true)
				panic("second")
			}()
			told("behind the second", true)
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
			// Open-coded and heap-allocated ones alike.
			for range 70 {
				func() { told("far from the panic", true) }()
			}
		}()
		var nothing *int
		*nothing = 1
	})
}
