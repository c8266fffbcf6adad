package history

import (
	"bytes"
	"encoding/base64"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// raw reads a string and returns the bytes between its quotes.
func (d *decoder) raw(want string) (raw []byte, escaped, ok bool) {
	if d.pos >= len(d.data) || d.data[d.pos] != '"' {
		return nil, false, d.fail(d.pos, "expected %s", want)
	}
	start := d.pos + 1
	end, escaped, problem := jsonscan.String(d.data, start)
	if problem != "" {
		return nil, false, d.fail(end, "%s", problem)
	}
	d.pos = end
	return d.data[start : end-1], escaped, true
}

func (d *decoder) text(to *string, bit uint64, b64 bool) bool {
	if !d.once(bit) {
		return false
	}
	s, ok := d.string(b64)
	*to = s
	return ok
}

func (d *decoder) string(b64 bool) (string, bool) {
	start := d.pos + 1
	raw, escaped, ok := d.raw("a string")
	switch {
	case !ok:
		return "", false
	case b64:
		p, ok := d.base64(raw, start)
		return string(p), ok
	case escaped:
		return d.unquote(raw, start)
	}
	return d.names.get(raw), true
}

func (d *decoder) texts(to *[]string, bit uint64, b64 bool) bool {
	return d.once(bit) && d.list("an array of strings", func() bool {
		s, ok := d.string(b64)
		*to = append(*to, s)
		return ok
	})
}

// carried reads a flat list: event, execution, event, execution, …
func (d *decoder) carried(to *[]Carried) bool {
	start, odd := d.pos, false
	ok := d.once(originCarried) && d.list("an array of numbers", func() bool {
		var n int64
		if !d.number(&n, 1) {
			return false
		}
		if odd {
			(*to)[len(*to)-1].ExecutionID = n
		} else {
			*to = append(*to, Carried{EventID: n})
		}
		odd = !odd
		return true
	})
	if ok && odd {
		return d.fail(start, "expected pairs of numbers: an event and its execution")
	}
	return ok
}

// list reads an array and calls element for each element.
func (d *decoder) list(want string, element func() bool) bool {
	if !d.open('[', want) {
		return false
	}
	if d.pos < len(d.data) && d.data[d.pos] == ']' {
		d.pos++
		return true
	}
	for {
		if !element() {
			return false
		}
		d.pos = jsonscan.Space(d.data, d.pos)
		switch {
		case d.pos >= len(d.data):
			return d.fail(d.pos, jsonscan.CutOff)
		case d.data[d.pos] == ']':
			d.pos++
			return true
		case d.data[d.pos] != ',':
			return d.fail(d.pos, jsonscan.NotJSON)
		}
		d.pos = jsonscan.Space(d.data, d.pos+1)
	}
}

// payload reads any JSON value, or base64, and keeps its bytes unchanged.
func (d *decoder) payload(to *[]byte, bit uint64, b64 bool) bool {
	if !d.once(bit) {
		return false
	}
	if b64 {
		start := d.pos + 1
		raw, _, ok := d.raw("a string of base64")
		if ok {
			*to, ok = d.base64(raw, start)
		}
		return ok
	}
	start := d.pos
	if !d.skip() {
		return false
	}
	*to = d.data[start:d.pos:d.pos]
	return true
}

// searchAttributes reads search attributes. It does not apply their limits: those are
// checked when attributes are set.
func (d *decoder) searchAttributes(to *SearchAttributes) bool {
	start := d.pos
	var raw []byte
	if !d.payload(&raw, hasSearchAttributes, false) {
		return false
	}
	if err := to.UnmarshalJSON(raw); err != nil {
		return d.fail(start, "%v", err)
	}
	return true
}

// headers reads headers. Any name is accepted, once.
func (d *decoder) headers(to *map[string]string) bool {
	all := map[string]string{}
	ok := d.nested(hasHeaders, func(key []byte, b64 bool) bool {
		name := string(key)
		if b64 {
			name += base64Suffix
		}
		if _, twice := all[name]; twice {
			return d.fail(d.pos, "a header is given twice")
		}
		value, ok := d.string(false)
		all[name] = value
		return ok
	})
	if len(all) > 0 {
		*to = all
	}
	return ok
}

// base64 decodes the base64 that Encode writes, and accepts only its canonical form.
func (d *decoder) base64(raw []byte, offset int) ([]byte, bool) {
	if len(raw) == 0 {
		return nil, true
	}
	p := make([]byte, base64.StdEncoding.DecodedLen(len(raw)))
	n, err := base64.StdEncoding.Strict().Decode(p, raw)
	if err != nil || bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0 {
		return nil, d.fail(offset, "not base64")
	}
	return p[:n:n], true
}

// unquote decodes the escapes of a string that has already been checked.
func (d *decoder) unquote(raw []byte, offset int) (string, bool) {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		c := raw[i+1]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := jsonscan.Hex4(raw[i+2:])
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if bytes.HasPrefix(raw[i+6:], []byte(`\u`)) {
					low = jsonscan.Hex4(raw[i+8:])
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					return "", d.fail(offset+i, "an unpaired surrogate in a string")
				}
				i += 6
			}
			out = utf8.AppendRune(out, r)
			i += 6
			continue
		}
		out = append(out, c)
		i += 2
	}
	return string(out), true
}

// interner returns the same copy for equal strings of a document, because the names in a
// history repeat. Each slot holds the last string that hashed to it.
type interner [64]string

func (t *interner) get(b []byte) string {
	if len(b) == 0 || len(b) > 64 {
		return string(b)
	}
	h := uint(len(b))*7 + uint(b[0])*31 + uint(b[len(b)/2])*17 + uint(b[len(b)-1])*5
	slot := &t[h%uint(len(t))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
