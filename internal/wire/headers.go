package wire

import (
	"fmt"
	"unicode/utf8"
)

// Limits of an item's headers. They travel with each activity and child of an
// instance and stand in its history, so they are for what has to go with all of
// them: trace context, a tenant, values of interceptors. W3C trace context
// (traceparent and the 512 bytes of tracestate that everybody has to pass on)
// takes an eighth of it.
const (
	// MaxHeaders is how many there are at most.
	MaxHeaders = 16
	// MaxHeaderName is the length of a name: 1 to 64 lower-case ASCII letters,
	// digits, "-", "_" and ".", as they can stand in HTTP, in logs and in
	// environment variables.
	MaxHeaderName = 64
	// MaxHeaderBytes bounds all names and values together.
	MaxHeaderBytes = 4096
)

// CheckHeaders reports what is wrong with headers: their number, a name, all of
// them together, a value that is not UTF-8 or has a character that BadCharacter
// finds. Values may be empty.
func CheckHeaders(headers map[string]string) error {
	if len(headers) > MaxHeaders {
		return fmt.Errorf("%d headers, the limit is %d", len(headers), MaxHeaders)
	}
	size := 0
	for name, value := range headers {
		size += len(name) + len(value)
		if !headerName(name) {
			return fmt.Errorf("the name %q: expected 1 to %d lower-case ASCII letters, digits, \"-\", \"_\" and \".\"", clip(name, 80), MaxHeaderName)
		}
		if !utf8.ValidString(value) {
			return fmt.Errorf("the value of %q is not UTF-8", name)
		}
		if what, at := BadCharacter(value); what != "" {
			return fmt.Errorf("the value of %q has %s at byte %d; expected text without any", name, what, at)
		}
	}
	if size > MaxHeaderBytes {
		return fmt.Errorf("%d bytes of names and values, the limit is %d; put large values elsewhere and send a reference", size, MaxHeaderBytes)
	}
	return nil
}

func headerName(name string) bool {
	if name == "" || len(name) > MaxHeaderName {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
