package history

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// fieldFunc reads the value of one field of an object. The key has lost its
// base64 suffix if b64 is set.
type fieldFunc func(key []byte, b64 bool) bool

// object reads an object whose fields field reads.
func (d *decoder) object(field fieldFunc) bool {
	return d.open('{', "an object") && d.fields(true, field)
}

// nested reads the object that is the value of a field.
func (d *decoder) nested(bit uint32, field fieldFunc) bool {
	if !d.once(bit) {
		return false
	}
	outer := d.seen
	d.seen = 0
	ok := d.object(field)
	d.seen = outer
	return ok
}

// open reads an opening bracket and the space around it.
func (d *decoder) open(bracket byte, want string) bool {
	d.pos = skipSpace(d.data, d.pos)
	if d.pos >= len(d.data) {
		return d.fail(d.pos, cutOff)
	}
	if d.data[d.pos] != bracket {
		return d.fail(d.pos, "expected %s", want)
	}
	d.pos = skipSpace(d.data, d.pos+1)
	return true
}

// fields reads the fields of an object up to its closing brace. first says
// that none was read before.
func (d *decoder) fields(first bool, field fieldFunc) bool {
	data := d.data
	for {
		i := d.pos
		if i < len(data) && data[i] <= ' ' {
			i = skipSpace(data, i)
		}
		if i >= len(data) {
			return d.fail(i, cutOff)
		}
		if data[i] == '}' {
			d.pos = i + 1
			return true
		}
		if !first {
			if data[i] != ',' {
				return d.fail(i, notJSON)
			}
			i = skipSpace(data, i+1)
		}
		first = false

		start := i + 1
		if i >= len(data) || data[i] != '"' {
			return d.fail(i, notJSON)
		}
		end, escaped, problem := skipString(data, start)
		if problem != "" {
			return d.fail(end, "%s", problem)
		}
		key := data[start : end-1]
		if escaped {
			text, ok := d.unquote(key, start)
			if !ok {
				return false
			}
			key = []byte(text)
		}
		if end < len(data) && data[end] != ':' {
			end = skipSpace(data, end)
		}
		if end >= len(data) || data[end] != ':' {
			return d.fail(end, notJSON)
		}
		if end++; end < len(data) && data[end] <= ' ' {
			end = skipSpace(data, end)
		}
		if d.pos = end; end >= len(data) {
			return d.fail(end, cutOff)
		}
		b64 := len(key) > len(base64Suffix) && key[len(key)-1] == '4' && bytes.HasSuffix(key, []byte(base64Suffix))
		if b64 {
			key = key[:len(key)-len(base64Suffix)]
		}
		if !field(key, b64) {
			return false
		}
	}
}

// once marks a field as seen and refuses its repeat: which of the two would be
// meant is a guess.
func (d *decoder) once(bit uint32) bool {
	if d.seen&bit != 0 {
		return d.fail(d.pos, "a field is given twice")
	}
	d.seen |= bit
	return true
}

// skip passes over the value of an unknown field.
func (d *decoder) skip() bool {
	end, problem := skipValue(d.data, d.pos)
	if problem != "" {
		return d.fail(end, "%s", problem)
	}
	d.pos = end
	return true
}

// raw reads a string and returns what stands between its quotes.
func (d *decoder) raw(want string) (raw []byte, escaped, ok bool) {
	if d.pos >= len(d.data) || d.data[d.pos] != '"' {
		return nil, false, d.fail(d.pos, "expected %s", want)
	}
	start := d.pos + 1
	end, escaped, problem := skipString(d.data, start)
	if problem != "" {
		return nil, false, d.fail(end, "%s", problem)
	}
	d.pos = end
	return d.data[start : end-1], escaped, true
}

func (d *decoder) text(to *string, bit uint32, b64 bool) bool {
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

func (d *decoder) texts(to *[]string, bit uint32, b64 bool) bool {
	if !d.once(bit) || !d.open('[', "an array of strings") {
		return false
	}
	if d.pos < len(d.data) && d.data[d.pos] == ']' {
		d.pos++
		return true
	}
	for {
		s, ok := d.string(b64)
		if !ok {
			return false
		}
		*to = append(*to, s)
		d.pos = skipSpace(d.data, d.pos)
		switch {
		case d.pos >= len(d.data):
			return d.fail(d.pos, cutOff)
		case d.data[d.pos] == ']':
			d.pos++
			return true
		case d.data[d.pos] != ',':
			return d.fail(d.pos, notJSON)
		}
		d.pos = skipSpace(d.data, d.pos+1)
	}
}

// payload reads any JSON value, or base64, and keeps its bytes.
func (d *decoder) payload(to *[]byte, bit uint32, b64 bool) bool {
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

// base64 decodes what Encode writes as base64, in its one canonical spelling.
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

func (d *decoder) flag(to *bool, bit uint32) bool {
	if !d.once(bit) {
		return false
	}
	for _, v := range [2]struct {
		word  string
		value bool
	}{{"true", true}, {"false", false}} {
		if end, problem := skipWord(d.data, d.pos, v.word); problem == "" {
			d.pos, *to = end, v.value
			return true
		}
	}
	return d.fail(d.pos, "expected true or false")
}

// integer reads a whole number of at least lowest that fits 64 bits.
func (d *decoder) integer(to *int64, lowest int64, bit uint32) bool {
	if !d.once(bit) {
		return false
	}
	data, start := d.data, d.pos
	i := start
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	first := i
	var n uint64
	for i < len(data) && data[i]-'0' <= 9 {
		if i-first == 19 { // 19 digits fit 64 bits, and no int64 has more.
			return d.fail(start, "number out of range")
		}
		n = n*10 + uint64(data[i]-'0')
		i++
	}
	switch {
	case i == first, i-first > 1 && data[first] == '0':
		return d.fail(start, "expected a whole number")
	case i < len(data) && (data[i] == '.' || data[i] == 'e' || data[i] == 'E'):
		return d.fail(start, "expected a whole number, without fraction and exponent")
	case !negative && n > math.MaxInt64, negative && n > -math.MinInt64:
		return d.fail(start, "number out of range")
	}
	*to = int64(n)
	if negative {
		*to = -int64(n)
	}
	if *to < lowest {
		return d.fail(start, "number below %d", lowest)
	}
	d.pos = i
	return true
}

// count reads an int.
func (d *decoder) count(to *int, bit uint32) bool {
	start := d.pos
	var n int64
	if !d.integer(&n, math.MinInt, bit) {
		return false
	}
	if n > math.MaxInt {
		return d.fail(start, "number out of range")
	}
	*to = int(n)
	return true
}

func (d *decoder) float(to *float64, bit uint32) bool {
	if !d.once(bit) {
		return false
	}
	start := d.pos
	if c := d.data[start]; c != '-' && c-'0' > 9 {
		return d.fail(start, "expected a number")
	}
	if !d.skip() {
		return false
	}
	f, err := strconv.ParseFloat(string(d.data[start:d.pos]), 64)
	if err != nil {
		return d.fail(start, "number out of range")
	}
	*to = f
	return true
}

// unquote resolves the escapes of a checked string.
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
			r := hex4(raw[i+2:])
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if bytes.HasPrefix(raw[i+6:], []byte(`\u`)) {
					low = hex4(raw[i+8:])
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

// interner gives equal strings of a document one copy: the names in a history
// repeat. It holds the last string seen in each slot.
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
