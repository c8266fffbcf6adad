package querying

import (
	"runtime"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
)

// goroutine returns the number of the calling goroutine.
func goroutine() string {
	var buf [64]byte
	number, _, _ := strings.Cut(strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine "), " ")
	return number
}

// maxStacks limits the dump of all goroutines that is searched.
const maxStacks = 1 << 20

// blockedStack returns the stack of the code that a goroutine runs, itself or in a coroutine that it or
// another of its coroutines started; "" if it is not found. A coroutine that is not running is in the
// state "coroutine", and so is the goroutine that waits for it.
func blockedStack(root string) string {
	buf := make([]byte, maxStacks)
	stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	startedBy, runs := make(map[string]string, len(stacks)), make(map[string]string)
	for _, stack := range stacks {
		number, rest, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		if i := strings.LastIndex(stack, " in goroutine "); i >= 0 {
			startedBy[number], _, _ = strings.Cut(stack[i+len(" in goroutine "):], "\n")
		}
		if !strings.HasPrefix(rest, "[coroutine") {
			runs[number] = stack
		}
	}
	for number, stack := range runs {
		for at := number; at != ""; at = startedBy[at] {
			if at == root {
				return engine.AuthorsStack(stack)
			}
		}
	}
	return ""
}
