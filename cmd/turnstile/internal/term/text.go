package term

import (
	"strings"

	"github.com/turnstile-go/turnstile/internal/printable"
)

// Wrap breaks a text into lines of at most n columns, at spaces; a longer word gets its own line.
// With n of 0 or less it changes nothing.
func Wrap(s string, n int) []string {
	if n <= 0 {
		return []string{s}
	}
	var lines []string
	line, width := "", 0
	for word := range strings.FieldsSeq(s) {
		w := printable.Width(word)
		if line != "" && width+1+w > n {
			lines = append(lines, line)
			line, width = "", 0
		}
		if line != "" {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+w
	}
	return append(lines, line)
}
