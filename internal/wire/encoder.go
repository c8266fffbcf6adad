package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// encoder writes the fields of one object. encoding/json would rewrite payloads: it
// compacts a json.RawMessage and escapes <, > and & in it.
type encoder struct {
	out  []byte
	kind Kind
	err  *ParseError
}

// number writes a number unless it is 0.
func (e *encoder) number(field string, n float64) {
	switch {
	case n == 0:
	case n >= 1e-6 && n < 1e21: // as encoding/json does
		e.name(field)
		e.out = strconv.AppendFloat(e.out, n, 'f', -1, 64)
	default:
		raw, err := json.Marshal(n)
		if err != nil {
			e.invalid(field, "not JSON: "+err.Error())
			return
		}
		e.raw(field, raw)
	}
}

func (e *encoder) object(field string, write func(o *encoder)) {
	e.name(field)
	e.inner(func() string { return field }, write)
}

// inner writes a nested object. Errors in it name the whole path of the field.
func (e *encoder) inner(name func() string, write func(o *encoder)) {
	o := encoder{kind: e.kind, out: append(e.out, '{')}
	write(&o)
	e.out = append(o.out, '}')
	if e.err == nil && o.err != nil {
		e.err = o.err
		e.err.Field = name() + "." + e.err.Field
	}
}

func (e *encoder) invalid(field, problem string) {
	if e.err == nil {
		e.err = &ParseError{Reason: ReasonInvalidField, Kind: e.kind, Field: field, Problem: problem}
	}
}

// name writes the name of a field; the caller writes its value. No value ends with an
// opening bracket.
func (e *encoder) name(field string) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(e.out, '"')
	e.out = append(e.out, field...)
	e.out = append(e.out, `":`...)
}

func (e *encoder) raw(field string, value []byte) {
	e.name(field)
	e.out = append(e.out, value...)
}

func (e *encoder) whole(field string, n int64) {
	if n != 0 {
		e.name(field)
		e.out = strconv.AppendInt(e.out, n, 10)
	}
}

func (e *encoder) flag(field string, set bool) {
	if set {
		e.raw(field, []byte("true"))
	}
}

// ident writes a string that must arrive unchanged.
func (e *encoder) ident(field, s string) {
	switch {
	case needsNoEscapes(s):
		e.plain(field, s)
	case !utf8.ValidString(s):
		e.invalid(field, "not UTF-8")
	default:
		e.text(field, s)
	}
}

// plain writes a string that needs no escapes.
func (e *encoder) plain(field, s string) {
	if s == "" {
		return
	}
	e.name(field)
	e.out = append(e.out, '"')
	e.out = append(e.out, s...)
	e.out = append(e.out, '"')
}

// text writes a string for people.
func (e *encoder) text(field, s string) {
	if needsNoEscapes(s) {
		e.plain(field, s)
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(s, "\ufffd")); err != nil {
		e.invalid(field, err.Error())
		return
	}
	e.raw(field, forSQS(bytes.TrimSpace(b.Bytes())))
}

// needsNoEscapes reports whether a text needs no escapes in JSON.
func needsNoEscapes(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (e *encoder) payload(field string, p json.RawMessage) {
	if len(p) == 0 {
		return
	}
	if !jsonscan.Valid(p) || !utf8.Valid(p) {
		e.invalid(field, "the payload is not a JSON value in UTF-8")
		return
	}
	e.raw(field, forSQS(bytes.TrimSpace(p)))
}

// forSQS escapes the characters in valid JSON that SQS does not accept in a message. They
// can only occur in strings.
func forSQS(p []byte) []byte {
	if bytes.Contains(p, []byte("\ufffe")) || bytes.Contains(p, []byte("\uffff")) {
		p = bytes.ReplaceAll(p, []byte("\ufffe"), []byte(`\ufffe`))
		p = bytes.ReplaceAll(p, []byte("\uffff"), []byte(`\uffff`))
	}
	return p
}
