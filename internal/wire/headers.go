package wire

import (
	"fmt"
	"unicode/utf8"
)

// Limits of an item's headers. Headers are sent with each activity and child of an
// instance and stored in its history, so use them for values that all of these need:
// trace context, a tenant, values of interceptors. W3C trace context (traceparent and the
// 512 bytes of tracestate that must be propagated) takes an eighth of the limit.
const (
	// MaxHeaders is the maximum number of headers.
	MaxHeaders = 16
	// MaxHeaderName is the maximum length of a name. A name has 1 to 64 lower-case ASCII
	// letters, digits, "-", "_" and ".", so that it can be used in HTTP, in logs and in
	// environment variables.
	MaxHeaderName = 64
	// MaxHeaderBytes limits all names and values together.
	MaxHeaderBytes = 4096
)

// CheckHeaders returns an error if there are too many headers, if a name is invalid, if
// names and values are too long together, or if a value is not UTF-8 or has a character
// that BadCharacter finds. Values may be empty.
func CheckHeaders(headers map[string]string) error {
	if len(headers) > MaxHeaders {
		return fmt.Errorf("%d headers exceed the limit of %d", len(headers), MaxHeaders)
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
		return fmt.Errorf("%d bytes of names and values exceed the limit of %d; store large values elsewhere and send a reference", size, MaxHeaderBytes)
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
