package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// parser takes the fields of one JSON object out of it, one after the other.
// The first error stays.
type parser struct {
	fields fields
	// path of the object inside the item, with a dot behind it.
	path string
	kind Kind
	err  *ParseError
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

func (p *parser) invalid(field, format string, args ...any) {
	if p.err == nil {
		p.err = &ParseError{Reason: ReasonInvalidField, Kind: p.kind, Field: p.path + field, Problem: fmt.Sprintf(format, args...)}
	}
}

// present returns a field that is there and not null, and false after an
// error.
func (p *parser) present(field string) (json.RawMessage, bool) {
	if p.err != nil {
		return nil, false
	}
	raw := p.fields.get(field)
	return raw, raw != nil && string(raw) != "null"
}

// payload is a copy of a field's bytes: the body may be written over, and what
// of it is kept need not keep the rest of it.
func (p *parser) payload(field string) json.RawMessage { return bytes.Clone(p.fields.get(field)) }

func (p *parser) text(field string, to *string) {
	raw, ok := p.present(field)
	if !ok {
		return
	}
	if s, ok := plain(raw); ok {
		*to = string(s)
		return
	}
	s, err := unquote(raw)
	switch {
	case err != nil:
		p.invalid(field, "expected a string, found %s", found(raw))
	case unpairedSurrogate(raw):
		p.invalid(field, "the string holds an unpaired surrogate, which is no character")
	default:
		*to = s
	}
}

func (p *parser) flag(field string, to *bool) {
	raw, ok := p.present(field)
	if !ok {
		return
	}
	switch string(raw) {
	case "true", "false":
		*to = raw[0] == 't'
	default:
		p.invalid(field, "expected true or false, found %s", found(raw))
	}
}

// whole reads a whole number of at least 0.
func (p *parser) whole(field string, to *int64) {
	raw, ok := p.present(field)
	if !ok {
		return
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < 0 {
		p.invalid(field, "expected a whole number from 0 to %d, found %s", int64(1<<63-1), found(raw))
		return
	}
	*to = n
}

func (p *parser) count(field string, to *int) {
	n := int64(*to)
	p.whole(field, &n)
	*to = int(n)
}

// number reads any number that a float64 holds.
func (p *parser) number(field string, to *float64) {
	raw, ok := p.present(field)
	if !ok {
		return
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		p.invalid(field, "expected a number, found %s", found(raw))
		return
	}
	*to = n
}

func (p *parser) texts(field string, to *[]string) {
	if raw, ok := p.present(field); ok && json.Unmarshal(raw, to) != nil {
		p.invalid(field, "expected an array of strings, found %s", found(raw))
	}
}

func (p *parser) object(field string, read func(o *parser)) {
	if raw, ok := p.present(field); ok {
		p.inner(field, raw, read)
	}
}

// inner reads an object inside the item; its errors name the whole path.
func (p *parser) inner(field string, raw json.RawMessage, read func(o *parser)) {
	if p.err != nil {
		return
	}
	if raw[0] != '{' {
		p.invalid(field, "expected an object, found %s", found(raw))
		return
	}
	inside, _, err := cut(raw, 0, nil)
	if err != nil {
		p.invalid(field, "%v", err)
		return
	}
	o := parser{fields: inside, path: p.path + field + ".", kind: p.kind}
	read(&o)
	p.err = o.err
}

// unpairedSurrogate reports whether a JSON string escapes half a surrogate
// pair. Decoding would make U+FFFD of each, so that two ids could become one.
func unpairedSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' || raw[i+1]|0x20 != 'd' || raw[i+2] < '8' {
			continue
		}
		// D800 to DFFF: only high (D8 to DB) and low (DC to DF) together.
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
