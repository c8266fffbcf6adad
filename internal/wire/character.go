package wire

import (
	"fmt"
	"unicode"
)

// BadCharacter finds the first character of a text that is not allowed in ids and names,
// and returns its description and byte offset; "" if there is none. Ids and names become
// message groups, keys, parts of log lines and arguments of commands that people copy. A
// character that ends a line, changes the reading direction or is invisible could make
// one id look like another.
//
// Not allowed are control characters (including NUL, line breaks and escapes), line and
// paragraph separators, marks and overrides of the text direction, the byte order mark,
// and U+FFFE and U+FFFF, which SQS does not accept. All other characters are allowed,
// including quotes, spaces, "$" and ";", because Turnstile never passes an id to a shell
// or inserts it into an expression as text.
func BadCharacter(s string) (what string, at int) {
	if isPlain(s) {
		return "", 0
	}
	for i, r := range s {
		switch {
		case unicode.IsControl(r):
			return fmt.Sprintf("the control character %U", r), i
		case r == '\u2028' || r == '\u2029':
			return fmt.Sprintf("the line separator %U", r), i
		case unicode.Is(unicode.Bidi_Control, r):
			return fmt.Sprintf("the text direction mark %U", r), i
		case r == '\ufeff':
			return "the byte order mark U+FEFF", i
		case r == '\ufffe' || r == '\uffff':
			return fmt.Sprintf("%U, which is not a character", r), i
		}
	}
	return "", 0
}
