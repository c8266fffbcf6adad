package turnstile

import (
	"runtime"
	"strconv"
)

// source returns file and line of the caller's caller: the place in the
// author's code that errors about a definition point to.
func source() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return file + ":" + strconv.Itoa(line)
}
