// Package printable makes what strangers wrote fit to be shown on a terminal: no
// control character, escape sequence or change of direction is left in it.
package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line: a space for a line break or a tab, and U+FFFD for what
// is not printable or no UTF-8.
func Line(s string) string {
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

// Lines returns s, a text of several lines such as a stack, with its line breaks and
// tabs, and U+FFFD for what is not printable or no UTF-8.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
