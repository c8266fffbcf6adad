package printable

import (
	"strings"
	"unicode"
)

// Width returns how many columns of a terminal a text takes: two for a wide character of East Asia and
// an emoji, none for a mark that joins the character before, such as an accent or the tone of an
// emoji.
func Width(s string) int {
	n, before := 0, 0
	for _, r := range s {
		w := columnsOf(r, before)
		if n += w; w > 0 {
			before = w
		}
	}
	return n
}

// emojiStyle shows the character before it as an emoji, in two columns.
const emojiStyle = '\ufe0f'

// columnsOf returns how many columns a character adds to a text whose last character takes before
// columns.
func columnsOf(r rune, before int) int {
	switch {
	case r < 0x300: // ASCII and Latin, the most.
		return 1
	case r == emojiStyle && before == 1:
		return 1
	case r >= 0x1f3fb && r <= 0x1f3ff && before == 2: // A tone of skin.
		return 0
	case r >= 0x1160 && r <= 0x11ff: // The rest of a syllable of Hangul.
		return 0
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
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
	left, before := n-1, 0
	for _, r := range s {
		w := columnsOf(r, before)
		if left -= w; left < 0 {
			break
		}
		if b.WriteRune(r); w > 0 {
			before = w
		}
	}
	return b.String() + "…"
}
