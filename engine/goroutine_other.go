//go:build !amd64 && !arm64

package engine

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns what tells the calling goroutine from all others: the number
// in the first line of its stack.
func goroutine() uintptr {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(line, ' '); i > 0 {
		line = line[:i]
	}
	id, _ := strconv.ParseUint(string(line), 10, 64)
	return uintptr(id)
}

// panicWord is not known: stacks tell.
func panicWord() uintptr { return 1 }
