//go:build amd64 || arm64

package engine

// goroutine returns what tells the calling goroutine from all others that live:
// the address of what the runtime knows of it. A call takes two nanoseconds,
// where reading the number out of the goroutine's stack takes a thousand.
func goroutine() uintptr

// panicWord returns what the runtime notes of the innermost panic, or
// runtime.Goexit, that runs deferred functions of the calling goroutine; 0 if
// none does. The linker knows its place, so it seldom moves; quickTells finds
// out whether it has.
func panicWord() uintptr
