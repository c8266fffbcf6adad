package names

import (
	"fmt"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// MaxLimit is the most that a limit over instances can be.
const MaxLimit = 100

// maxLimitKey is the longest key of a limit, in bytes.
const maxLimitKey = 256

// LimitKey returns the problem with the key of a limit over instances; "" if there is none.
func LimitKey(key string) string {
	switch {
	case key == "":
		return "is empty: give the limit a name"
	case len(key) > maxLimitKey:
		return fmt.Sprintf("has %d bytes; the maximum is %d: use a name or a hash of it", len(key), maxLimitKey)
	case !utf8.ValidString(key):
		return fmt.Sprintf("%q is not UTF-8", key)
	}
	if what, at := wire.BadCharacter(key); what != "" {
		return fmt.Sprintf("%q has %s at byte %d: leave it out", key, what, at)
	}
	return ""
}

// Limit returns the problem with the number of a limit; "" if there is none.
func Limit(n int) string {
	if n < 1 || n > MaxLimit {
		return fmt.Sprintf("is %d; it must be from 1 to %d", n, MaxLimit)
	}
	return ""
}

// SetLimit returns the problem with the number that an operator sets; "" if there is none.
func SetLimit(n int) string {
	if n < 0 || n > MaxLimit {
		return fmt.Sprintf("is %d; it must be from 0 to %d", n, MaxLimit)
	}
	return ""
}
