//go:build amd64 || arm64

package engine

// goroutine returns a value that identifies the calling goroutine among all live ones:
// the address of its runtime descriptor. A call takes 2 ns; parsing the goroutine number
// from a stack trace takes 1,000 ns.
func goroutine() uintptr

// panicWord returns the runtime's pointer to the innermost panic or runtime.Goexit that is running
// deferred functions of the calling goroutine; 0 if there is none. The linker depends on the
// offset, so it seldom changes; quickTells detects a change.
func panicWord() uintptr
