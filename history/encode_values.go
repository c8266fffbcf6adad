package history

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// closeObject turns the fields appended since start into an object. Each of them starts
// with a comma.
func closeObject(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, "{}"...)
	}
	dst[start] = '{'
	return append(dst, '}')
}

func appendKey(dst []byte, key, suffix string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, key...)
	dst = append(dst, suffix...)
	return append(dst, `":`...)
}

func appendInt(dst []byte, key string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(appendKey(dst, key, ""), n, 10)
}

func appendFloat(dst []byte, key string, f float64) []byte {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return dst
	}
	return strconv.AppendFloat(appendKey(dst, key, ""), f, 'g', -1, 64)
}

func appendFlag(dst []byte, key string, set bool) []byte {
	if !set {
		return dst
	}
	return append(appendKey(dst, key, ""), "true"...)
}

func appendText(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	if !utf8.ValidString(s) {
		return appendBase64(appendKey(dst, key, base64Suffix), s)
	}
	return appendQuoted(appendKey(dst, key, ""), s)
}

func appendTexts(dst []byte, key string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	suffix, quote := "", appendQuoted
	for _, s := range list {
		if !utf8.ValidString(s) {
			suffix, quote = base64Suffix, appendBase64[string]
			break
		}
	}
	dst = append(appendKey(dst, key, suffix), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = quote(dst, s)
	}
	return append(dst, ']')
}

// appendJSON appends a payload.
func appendJSON(dst []byte, key string, p []byte) []byte {
	if len(p) == 0 {
		return dst
	}
	if end, problem := jsonscan.Value(p, 0); problem != "" || end != len(p) || !utf8.Valid(p) {
		return appendBase64(appendKey(dst, key, base64Suffix), p)
	}
	return append(appendKey(dst, key, ""), p...)
}

func appendBase64[T string | []byte](dst []byte, p T) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, []byte(p))
	return append(dst, '"')
}

// appendQuoted appends s, which is valid UTF-8, as a JSON string. It escapes only what
// JSON requires.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}
