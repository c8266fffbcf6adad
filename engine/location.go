package engine

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// caller returns file:line of the innermost frame in the author's code: the
// first that is not the engine's or the authoring surface's. Where the surface
// itself runs the branch, it is the place that the branch comes from.
func (x *Execution) caller() string {
	if x.current == nil {
		return caller(nil)
	}
	return caller(x.current.origin)
}

func caller(origin []uintptr) string {
	pcs := make([]uintptr, 32)
	if at := authors(pcs[:runtime.Callers(2, pcs)]); at != "" {
		return at
	}
	return authors(origin)
}

func authors(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(pcs)
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !ours(&frame) {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

func ours(frame *runtime.Frame) bool {
	const module = "github.com/turnstile-go/turnstile"
	if strings.HasSuffix(frame.File, "_test.go") {
		return false
	}
	f := frame.Function
	return strings.HasPrefix(f, module+"/engine.") || strings.HasPrefix(f, module+".") ||
		strings.HasPrefix(f, "runtime.") || strings.HasPrefix(f, "iter.")
}

// goroutineID reads the number out of the first line of the stack.
func goroutineID() uint64 {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(line, ' '); i > 0 {
		line = line[:i]
	}
	id, _ := strconv.ParseUint(string(line), 10, 64)
	return id
}
