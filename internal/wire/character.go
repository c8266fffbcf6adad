package wire

import (
	"fmt"
	"unicode"
)

// BadCharacter finds the first character of a text that ids and names must not
// have, says what it is, and at which byte it stands; "" where there is none.
// Ids and names become message groups, keys, parts of log lines and arguments
// of commands that people copy: what ends a line, turns the direction in which
// a line is read, or cannot be seen at all lets one id pass for another.
//
// Such are control characters (NUL, line breaks and escapes among them), the
// separators of lines and paragraphs, the marks and overrides of the writing
// direction, the byte order mark, and U+FFFE, U+FFFF, which SQS does not take.
// All else is for the sender to choose, quotes, spaces, "$" and ";" included:
// nothing here hands an id to a shell or puts one into an expression as text.
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
			return fmt.Sprintf("the mark of the writing direction %U", r), i
		case r == '\ufeff':
			return "the byte order mark U+FEFF", i
		case r == '\ufffe' || r == '\uffff':
			return fmt.Sprintf("%U, which is no character", r), i
		}
	}
	return "", 0
}
