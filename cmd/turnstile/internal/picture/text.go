package picture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes what a stranger wrote one line that cannot steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s)
}
