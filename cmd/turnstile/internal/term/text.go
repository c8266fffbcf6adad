package term

import (
	"strings"
	"unicode"
)

// Width is how many columns a text takes: two for the wide characters of East Asia
// and for pictures, none for marks that join the character before.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Clip cuts a line to n columns; 0 and less leave it whole.
func Clip(s string, n int) string {
	if n <= 0 || Width(s) <= n {
		return s
	}
	var b strings.Builder
	left := n - 1
	for _, r := range s {
		if left -= runeWidth(r); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// Wrap breaks a text into lines of at most n columns, at spaces; a word that is
// longer has a line of its own. 0 and less leave it whole.
func Wrap(s string, n int) []string {
	if n <= 0 {
		return []string{s}
	}
	var lines []string
	line, width := "", 0
	for word := range strings.FieldsSeq(s) {
		w := Width(word)
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
