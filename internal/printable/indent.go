package printable

import (
	"bytes"
	"encoding/json"
	"strings"
)

// deepest is how many levels of a JSON text get lines of their own.
const deepest = 20

// Indent returns a JSON text in lines that begin with prefix, but for the first, and two spaces for
// each level, as json.Indent writes it. What is nested deeper than 20 levels stays in the line, so
// that the result is not longer than some ten times the text. It returns false for a text that is
// no JSON.
func Indent(text []byte, prefix string) (string, bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return "", false
	}
	var b strings.Builder
	depth, inString, escaped := 0, false, false
	line := func() {
		b.WriteString("\n" + prefix)
		for range depth {
			b.WriteString("  ")
		}
	}
	all := compact.Bytes()
	for i, c := range all {
		if inString {
			b.WriteByte(c)
			inString = escaped || c != '"'
			escaped = !escaped && c == '\\'
			continue
		}
		shown := depth <= deepest
		switch c {
		case '"':
			inString = true
			b.WriteByte(c)
		case '{', '[':
			b.WriteByte(c)
			if depth++; all[i+1] != '}' && all[i+1] != ']' && depth <= deepest {
				line()
			}
		case '}', ']':
			if depth--; all[i-1] != '{' && all[i-1] != '[' && shown {
				line()
			}
			b.WriteByte(c)
		case ',':
			if b.WriteByte(c); shown {
				line()
			}
		case ':':
			if b.WriteByte(c); shown {
				b.WriteByte(' ')
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
