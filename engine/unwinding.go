package engine

import (
	"runtime"
	"sync"
)

// unwindingNow reports whether the calling goroutine is in a deferred function that a
// panic or runtime.Goexit runs. A deferred function that has already recovered the panic
// looks the same.
func unwindingNow() bool {
	if quickTells() && panicWord() == 0 {
		return false
	}
	return unwindingByStack()
}

// quickTells reports whether, in this version of Go, panicWord is 0 exactly when no
// deferred function runs because of a panic or Goexit.
var quickTells = sync.OnceValue(func() bool {
	const outside, panicking, recovered, exiting, after = 0, 1, 2, 3, 4
	var words [5]uintptr
	func() {
		defer func() { words[after] = panicWord() }() // runs because of a normal return
		words[outside] = panicWord()
	}()
	func() {
		defer func() {
			words[panicking] = panicWord()
			_ = recover()
		}()
		panic("to see what the runtime notes")
	}()
	words[recovered] = panicWord()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { words[exiting] = panicWord() }()
		runtime.Goexit()
	}()
	<-done
	return words[outside] == 0 && words[after] == 0 && words[recovered] == 0 && words[panicking] != 0 && words[exiting] != 0
})

// unwindingByStack computes the result of unwindingNow from the call stack.
func unwindingByStack() bool {
	unwinds := unwinders()
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if unwinds[0].has(pc) || unwinds[1].has(pc) {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// unwinders returns the code ranges of the two functions that run deferred functions
// while they unwind. Neither of the two is ever inlined, so each has its own code range.
var unwinders = sync.OnceValue(func() (at [2]codeRange) {
	func() {
		defer func() {
			at[0] = codeOf("runtime.gopanic")
			_ = recover()
		}()
		panic("to see what runs this")
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { at[1] = codeOf("runtime.Goexit") }()
		runtime.Goexit()
	}()
	<-done
	return at
})

// codeRange is the range of a function's code. runtime.Callers returns the address after
// a call: never begin, and at most end.
type codeRange struct{ begin, end uintptr }

func (c codeRange) has(pc uintptr) bool { return pc > c.begin && pc <= c.end }

// codeOf finds a function among the callers of this one.
func codeOf(function string) codeRange {
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		f := runtime.FuncForPC(pc - 1)
		if f == nil || f.Name() != function {
			continue
		}
		c := codeRange{f.Entry(), f.Entry()}
		for ; ; c.end += 16 { // Functions are aligned to multiples of 16.
			if f := runtime.FuncForPC(c.end); f == nil || f.Entry() != c.begin {
				return c
			}
		}
	}
	return codeRange{}
}
