package history

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds how deep a JSON value may nest. A payload that nests deeper
// is written as base64, so that no payload is refused for its shape.
const maxDepth = 1024

const (
	notJSON   = "not JSON"
	cutOff    = "the document ends too early"
	tooNested = "nested more than 1024 levels deep"
)

// skipSpace returns the index of the first byte from i on that is no JSON
// white space.
func skipSpace(d []byte, i int) int {
	for i < len(d) && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// skipValue checks the JSON value that starts at d[i], without white space
// before it, and returns the index behind it. Otherwise problem is set and end
// is where it was met. It uses bounded memory whatever the input.
func skipValue(d []byte, i int) (end int, problem string) {
	if i >= len(d) {
		return i, cutOff
	}
	if d[i] == '{' || d[i] == '[' {
		return skipNested(d, i)
	}
	return skipScalar(d, i)
}

func skipScalar(d []byte, i int) (end int, problem string) {
	switch c := d[i]; c {
	case '"':
		end, _, problem = skipString(d, i+1)
		return end, problem
	case 't':
		return skipWord(d, i, "true")
	case 'f':
		return skipWord(d, i, "false")
	case 'n':
		return skipWord(d, i, "null")
	default:
		if c == '-' || c-'0' <= 9 {
			return skipNumber(d, i)
		}
		return i, notJSON
	}
}

// skipNested checks an object or array. Bit n of open says whether the value
// at depth n+1 is an object.
func skipNested(d []byte, i int) (end int, problem string) {
	var open [maxDepth / 64]uint64
	depth := 0
	object := false
	for {
		// A value starts at i.
		if i >= len(d) {
			return i, cutOff
		}
		switch c := d[i]; c {
		case '"':
			if end := shortString(d, i+1); end > 0 {
				i = end
			} else if i, _, problem = skipString(d, i+1); problem != "" {
				return i, problem
			}
		case '{', '[':
			if depth == maxDepth {
				return i, tooNested
			}
			word, bit := &open[depth>>6&(maxDepth/64-1)], uint64(1)<<(depth&63)
			depth++
			object = c == '{'
			if object {
				*word |= bit
			} else {
				*word &^= bit
			}
			i = skipSpace(d, i+1)
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
				i = skipSpace(d, i)
			}
			if i >= len(d) {
				return i, cutOff
			}
			c := d[i]
			if c == ',' {
				break
			}
			if object && c != '}' || !object && c != ']' {
				return i, notJSON
			}
			i++
			depth--
			if depth == 0 {
				return i, ""
			}
			object = open[(depth-1)>>6&(maxDepth/64-1)]>>((depth-1)&63)&1 == 1
		}
		i++
		if object && i < len(d) && d[i] == '"' {
			// The usual key, without space and escapes.
			if end := shortString(d, i+1); end > 0 && end+1 < len(d) && d[end] == ':' && d[end+1] > ' ' {
				i = end + 1
				continue
			}
		}
		i = skipSpace(d, i)
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
		return i, cutOff
	}
	if d[i] != '"' {
		return i, notJSON
	}
	if end := shortString(d, i+1); end > 0 {
		i = end
	} else if i, _, problem = skipString(d, i+1); problem != "" {
		return i, problem
	}
	if i < len(d) && d[i] != ':' {
		i = skipSpace(d, i)
	}
	if i >= len(d) {
		return i, cutOff
	}
	if d[i] != ':' {
		return i, notJSON
	}
	return skipSpace(d, i+1), ""
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

// skipString checks a string whose first byte behind the quote is d[i]. It
// returns the index behind the closing quote and whether there are escapes.
// Eight bytes are looked at in one step.
func skipString(d []byte, i int) (end int, escaped bool, problem string) {
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
			return i, escaped, cutOff
		}
		switch c := d[i]; {
		case c == '"':
			return i + 1, escaped, ""
		case c == '\\':
			escaped = true
			n := escapeLen(d[i:])
			if n == 0 {
				return i, escaped, "a string holds an escape that JSON does not have"
			}
			i += n
		case c < ' ':
			return i, escaped, "a string holds a control character"
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
		if hex4(d[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// hex4 returns the value of four hexadecimal digits, -1 if there are none.
func hex4(d []byte) rune {
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

func skipWord(d []byte, i int, word string) (end int, problem string) {
	if len(d)-i < len(word) || string(d[i:i+len(word)]) != word {
		return i, notJSON
	}
	return i + len(word), ""
}

func skipNumber(d []byte, i int) (end int, problem string) {
	if d[i] == '-' {
		i++
	}
	switch {
	case i >= len(d):
		return i, cutOff
	case d[i] == '0':
		i++
	default:
		var n int
		if i, n = skipDigits(d, i); n == 0 {
			return i, notJSON
		}
	}
	var n int
	if i < len(d) && d[i] == '.' {
		if i, n = skipDigits(d, i+1); n == 0 {
			return i, notJSON
		}
	}
	if i < len(d) && (d[i] == 'e' || d[i] == 'E') {
		i++
		if i < len(d) && (d[i] == '+' || d[i] == '-') {
			i++
		}
		if i, n = skipDigits(d, i); n == 0 {
			return i, notJSON
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
