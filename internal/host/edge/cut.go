package edge

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens a text to at most n bytes and marks it as cut.
func Cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= n {
		return s
	}
	const mark = "… (cut)"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
