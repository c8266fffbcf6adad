package turnstile

import (
	"runtime"
	"strconv"
)

// source returns the file and line of the caller's caller: the line in the author's code that
// errors about a declaration name.
func source() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "an unknown place"
	}
	return file + ":" + strconv.Itoa(line)
}
