package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// parser reads the fields of one JSON object, one after the other. It keeps the first
// error.
type parser struct {
	fields fields
	kind   Kind
	err    *ParseError
}

// found describes a value for an error text.
func found(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "the string " + clip(string(raw), 40)
	case 'n':
		return "null"
	case 't', 'f':
		return string(raw)
	}
	return "the number " + clip(string(raw), 40)
}

func (p *parser) invalid(f *field, format string, args ...any) {
	if p.err == nil {
		p.err = &ParseError{Reason: ReasonInvalidField, Kind: p.kind, Field: string(f.name), Problem: fmt.Sprintf(format, args...)}
	}
}

// present reports whether a field is not null. It returns false after an error.
func (p *parser) present(f *field) bool { return p.err == nil && string(f.raw) != "null" }

// payload returns a copy of a field's bytes, because the body may be overwritten, and a
// payload that is kept should not keep the whole body.
func (p *parser) payload(f *field) json.RawMessage { return bytes.Clone(f.raw) }

func (p *parser) text(f *field, to *string) {
	if !p.present(f) {
		return
	}
	if s, ok := plain(f.raw); ok {
		*to = string(s)
		return
	}
	s, err := unquote(f.raw)
	switch {
	case err != nil:
		p.invalid(f, "expected a string, found %s", found(f.raw))
	case unpairedSurrogate(f.raw):
		p.invalid(f, "the string has an unpaired surrogate, which is not a character")
	default:
		*to = s
	}
}

func (p *parser) flag(f *field, to *bool) {
	if !p.present(f) {
		return
	}
	switch string(f.raw) {
	case "true", "false":
		*to = f.raw[0] == 't'
	default:
		p.invalid(f, "expected true or false, found %s", found(f.raw))
	}
}

// whole reads a whole number of at least 0.
func (p *parser) whole(f *field, to *int64) {
	if !p.present(f) {
		return
	}
	n, err := strconv.ParseInt(string(f.raw), 10, 64)
	if err != nil || n < 0 {
		p.invalid(f, "expected a whole number from 0 to %d, found %s", int64(1<<63-1), found(f.raw))
		return
	}
	*to = n
}

func (p *parser) count(f *field, to *int) {
	n := int64(*to)
	p.whole(f, &n)
	*to = int(n)
}

// number reads a number that fits a float64.
func (p *parser) number(f *field, to *float64) {
	if !p.present(f) {
		return
	}
	n, err := strconv.ParseFloat(string(f.raw), 64)
	if err != nil {
		p.invalid(f, "expected a number, found %s", found(f.raw))
		return
	}
	*to = n
}

func (p *parser) texts(f *field, to *[]string) {
	if p.present(f) && json.Unmarshal(f.raw, to) != nil {
		p.invalid(f, "expected an array of strings, found %s", found(f.raw))
	}
}

func (p *parser) object(f *field, read func(o *parser)) {
	if p.present(f) {
		p.inner(f, read)
	}
}

// inner reads an object inside the item. Its errors name the whole path.
func (p *parser) inner(f *field, read func(o *parser)) {
	if p.err != nil {
		return
	}
	if f.raw[0] != '{' {
		p.invalid(f, "expected an object, found %s", found(f.raw))
		return
	}
	inside, _, err := cut(f.raw, 0, nil)
	if err != nil {
		p.invalid(f, "%v", err)
		return
	}
	o := parser{fields: inside, kind: p.kind}
	read(&o)
	if p.err = o.err; p.err != nil {
		p.err.Field = string(f.name) + "." + p.err.Field
	}
}

// unpairedSurrogate reports whether a JSON string has an escaped half of a surrogate
// pair. Decoding would turn each into U+FFFD, so that two ids could become equal.
func unpairedSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' || raw[i+1]|0x20 != 'd' || raw[i+2] < '8' {
			continue
		}
		// D800 to DFFF: only a high surrogate (D8 to DB) followed by a low one (DC to DF)
		// is valid.
		low := raw[i+2]|0x20 >= 'c'
		paired := !low && i+8 < len(raw) && raw[i+5] == '\\' && raw[i+6] == 'u' &&
			raw[i+7]|0x20 == 'd' && raw[i+8]|0x20 >= 'c'
		if !paired {
			return true
		}
		i += 10
	}
	return false
}
