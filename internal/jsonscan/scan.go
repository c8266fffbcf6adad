// Package jsonscan finds where JSON values end, and checks them on the way: what
// histories and work items are cut with. It allocates nothing.
package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// MaxDepth bounds how deep a JSON value may nest. A payload that nests deeper
// is written as base64, so that no payload is refused for its shape.
const MaxDepth = 1024

const (
	NotJSON   = "not JSON"
	CutOff    = "the document ends too early"
	TooNested = "nested more than 1024 levels deep"
)

// Space returns the index of the first byte from i on that is no JSON
// white space.
func Space(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// Value checks the JSON value that starts at d[i], without white space
// before it, and returns the index behind it. Otherwise problem is set and end
// is where it was met. It uses bounded memory whatever the input.
func Value(d []byte, i int) (end int, problem string) {
	if i >= len(d) {
		return i, CutOff
	}
	if d[i] == '{' || d[i] == '[' {
		return skipNested(d, i)
	}
	return skipScalar(d, i)
}

func skipScalar(d []byte, i int) (end int, problem string) {
	switch c := d[i]; c {
	case '"':
		end, _, problem = String(d, i+1)
		return end, problem
	case 't':
		return Word(d, i, "true")
	case 'f':
		return Word(d, i, "false")
	case 'n':
		return Word(d, i, "null")
	default:
		if c == '-' || c-'0' <= 9 {
			return skipNumber(d, i)
		}
		return i, NotJSON
	}
}

// skipNested checks an object or array. Bit n of open says whether the value
// at depth n+1 is an object.
func skipNested(d []byte, i int) (end int, problem string) {
	var open [MaxDepth / 64]uint64
	depth := 0
	object := false
	for {
		// A value starts at i.
		if i >= len(d) {
			return i, CutOff
		}
		switch c := d[i]; c {
		case '"':
			if end := shortString(d, i+1); end > 0 {
				i = end
			} else if i, _, problem = String(d, i+1); problem != "" {
				return i, problem
			}
		case '{', '[':
			if depth == MaxDepth {
				return i, TooNested
			}
			word, bit := &open[depth>>6&(MaxDepth/64-1)], uint64(1)<<(depth&63)
			depth++
			object = c == '{'
			if object {
				*word |= bit
			} else {
				*word &^= bit
			}
			i = Space(d, i+1)
			if i < len(d) && d[i] == c+2 { // '}' is '{'+2, ']' is '['+2
				break
			}
			if object {
				if i, problem = skipKey(d, i); problem != "" {
					return i, problem
				}
			}
			continue
		default:
			if i, problem = skipScalar(d, i); problem != "" {
				return i, problem
			}
		}
		// A value has ended, or an empty object or array is about to.
		for {
			if i < len(d) && d[i] <= ' ' {
				i = Space(d, i)
			}
			if i >= len(d) {
				return i, CutOff
			}
			c := d[i]
			if c == ',' {
				break
			}
			if object && c != '}' || !object && c != ']' {
				return i, NotJSON
			}
			i++
			depth--
			if depth == 0 {
				return i, ""
			}
			object = open[(depth-1)>>6&(MaxDepth/64-1)]>>((depth-1)&63)&1 == 1
		}
		i++
		if object && i < len(d) && d[i] == '"' {
			// The usual key, without space and escapes.
			if end := shortString(d, i+1); end > 0 && end+1 < len(d) && d[end] == ':' && d[end+1] > ' ' {
				i = end + 1
				continue
			}
		}
		i = Space(d, i)
		if object {
			if i, problem = skipKey(d, i); problem != "" {
				return i, problem
			}
		}
	}
}

// skipKey checks a key and its colon and returns the index of the value.
func skipKey(d []byte, i int) (end int, problem string) {
	if i >= len(d) {
		return i, CutOff
	}
	if d[i] != '"' {
		return i, NotJSON
	}
	if end := shortString(d, i+1); end > 0 {
		i = end
	} else if i, _, problem = String(d, i+1); problem != "" {
		return i, problem
	}
	if i < len(d) && d[i] != ':' {
		i = Space(d, i)
	}
	if i >= len(d) {
		return i, CutOff
	}
	if d[i] != ':' {
		return i, NotJSON
	}
	return Space(d, i+1), ""
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// specials marks, by their highest bits, the bytes of w that are a quote, a
// backslash or a control character. The lowest mark is exact, one above it may
// be set by a borrow.
func specials(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
}

// shortString returns the index behind the closing quote if the string that
// begins at d[i] is plain and shorter than 16 bytes, else 0. Most are, and byte
// by byte a processor can guess where they end.
func shortString(d []byte, i int) int {
	for end := min(i+16, len(d)); i < end; i++ {
		if c := d[i]; c == '"' {
			return i + 1
		} else if c < ' ' || c == '\\' {
			return 0
		}
	}
	return 0
}

// String checks a string whose first byte behind the quote is d[i]. It
// returns the index behind the closing quote and whether there are escapes.
// Eight bytes are looked at in one step.
func String(d []byte, i int) (end int, escaped bool, problem string) {
	for {
		if len(d)-i >= 8 {
			special := specials(binary.LittleEndian.Uint64(d[i:]))
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) >> 3
		}
		if i >= len(d) {
			return i, escaped, CutOff
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1, escaped, ""
		case c == '\\':
			escaped = true
			n := escapeLen(d[i:])
			if n == 0 {
				return i, escaped, "a string has an escape that JSON does not allow"
			}
			i += n
		case c < ' ':
			return i, escaped, "a string has a control character"
		default:
			i++
		}
	}
}

// escapeLen returns the length of the escape at the start of d, 0 if it is
// none.
func escapeLen(d []byte) int {
	if len(d) < 2 {
		return 0
	}
	switch d[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if Hex4(d[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// Hex4 returns the value of four hexadecimal digits, -1 if there are none.
func Hex4(d []byte) rune {
	if len(d) < 4 {
		return -1
	}
	var r rune
	for _, c := range d[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Word checks that a word (true, false, null) stands at d[i], and returns the
// index behind it.
func Word(d []byte, i int, word string) (end int, problem string) {
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return i, NotJSON
	}
	return i + len(word), ""
}

func skipNumber(d []byte, i int) (end int, problem string) {
	if d[i] == '-' {
		i++
	}
	switch {
	case i >= len(d):
		return i, CutOff
	case d[i] == '0':
		i++
	default:
		var n int
		if i, n = skipDigits(d, i); n == 0 {
			return i, NotJSON
		}
	}
	var n int
	if i < len(d) && d[i] == '.' {
		if i, n = skipDigits(d, i+1); n == 0 {
			return i, NotJSON
		}
	}
	if i < len(d) && (d[i] == 'e' || d[i] == 'E') {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		if i, n = skipDigits(d, i); n == 0 {
			return i, NotJSON
		}
	}
	return i, ""
}

func skipDigits(d []byte, i int) (end, n int) {
	start := i
	for i < len(d) && d[i]-'0' <= 9 {
		i++
	}
	return i, i - start
}
