//go:build !amd64 && !arm64

package engine

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine returns a value that identifies the calling goroutine: the number in the
// first line of its stack trace.
func goroutine() uintptr {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(line, ' '); i > 0 {
		line = line[:i]
	}
	id, _ := strconv.ParseUint(string(line), 10, 64)
	return uintptr(id)
}

// panicWord cannot be read here, so callers inspect the stack instead.
func panicWord() uintptr { return 1 }
