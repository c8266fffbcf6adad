package engine

import (
	"fmt"
	"runtime"

	"github.com/turnstile-go/turnstile/internal/panics"
)

// caller returns file:line of the innermost frame in the author's code: the first that
// belongs neither to the engine nor to the packages that call it. If the branch has no
// frame of the author, it returns the place where the branch was started.
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
		if frame.Function != "" && !panics.Ours(frame.Function, frame.File) {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return ""
		}
	}
}
