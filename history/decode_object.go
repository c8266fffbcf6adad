package history

import (
	"bytes"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// fieldFunc reads the value of one field of an object. If b64 is set, the base64 suffix
// has been removed from key.
type fieldFunc func(key []byte, b64 bool) bool

// object reads an object and calls field for each of its fields.
func (d *decoder) object(field fieldFunc) bool {
	return d.open('{', "an object") && d.fields(true, field)
}

// nested reads an object that is the value of a field.
func (d *decoder) nested(bit uint64, field fieldFunc) bool {
	if !d.once(bit) {
		return false
	}
	outer := d.seen
	d.seen = 0
	ok := d.object(field)
	d.seen = outer
	return ok
}

// open reads an opening bracket and the white space around it.
func (d *decoder) open(bracket byte, want string) bool {
	d.pos = jsonscan.Space(d.data, d.pos)
	if d.pos >= len(d.data) {
		return d.fail(d.pos, jsonscan.CutOff)
	}
	if d.data[d.pos] != bracket {
		return d.fail(d.pos, "expected %s", want)
	}
	d.pos = jsonscan.Space(d.data, d.pos+1)
	return true
}

// fields reads the fields of an object up to its closing brace. first is set if no field has been
// read yet.
func (d *decoder) fields(first bool, field fieldFunc) bool {
	data := d.data
	for {
		i := d.pos
		if i < len(data) && data[i] <= ' ' {
			i = jsonscan.Space(data, i)
		}
		if i >= len(data) {
			return d.fail(i, jsonscan.CutOff)
		}
		if data[i] == '}' {
			d.pos = i + 1
			return true
		}
		if !first {
			if data[i] != ',' {
				return d.fail(i, jsonscan.NotJSON)
			}
			i = jsonscan.Space(data, i+1)
		}
		first = false

		start := i + 1
		if i >= len(data) || data[i] != '"' {
			return d.fail(i, jsonscan.NotJSON)
		}
		end, escaped, problem := jsonscan.String(data, start)
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
			end = jsonscan.Space(data, end)
		}
		if end >= len(data) || data[end] != ':' {
			return d.fail(end, jsonscan.NotJSON)
		}
		if end++; end < len(data) && data[end] <= ' ' {
			end = jsonscan.Space(data, end)
		}
		if d.pos = end; end >= len(data) {
			return d.fail(end, jsonscan.CutOff)
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

// once marks a field as seen. It fails if the field was seen before, because the decoder cannot
// know which of the two values is meant.
func (d *decoder) once(bit uint64) bool {
	if d.seen&bit != 0 {
		return d.fail(d.pos, "a field is given twice")
	}
	d.seen |= bit
	return true
}

// skip skips the value of an unknown field.
func (d *decoder) skip() bool {
	end, problem := jsonscan.Value(d.data, d.pos)
	if problem != "" {
		return d.fail(end, "%s", problem)
	}
	d.pos = end
	return true
}
