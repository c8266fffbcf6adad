package printable

import (
	"fmt"
	"unicode"
	"unicode/utf16"
)

// JSON returns a JSON text with what is not printable, in strings, as \u escapes: C1
// control characters and changes of direction among them, which JSON leaves as they are.
// As JSON, it has the same meaning.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		switch {
		case r < 0x7f || unicode.IsPrint(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
