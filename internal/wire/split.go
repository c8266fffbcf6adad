package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// fields holds the fields of one JSON object in order, with their bytes unchanged. An
// item has about a dozen, so a linear search finds a duplicate faster than a map. A
// message from outside may have any number of fields; beyond few, a map is used.
type fields struct {
	list []field
	// marks has one bit for each name; most names have a bit of their own.
	marks uint64
	// names of the fields in list, once it has more than few.
	names map[string]bool
}

// field is one field; its name is a slice of the body if it has no escapes.
type field struct {
	name []byte
	raw  json.RawMessage
}

const few = 32

// get returns a field; nil if there is none with this name.
func (f *fields) get(name string) *field {
	for i := range f.list {
		if string(f.list[i].name) == name {
			return &f.list[i]
		}
	}
	return nil
}

// mark returns a bit for a name; several names may share a bit.
func mark(name []byte) uint64 {
	if len(name) == 0 {
		return 1
	}
	return 1 << ((len(name)*7 + int(name[0]) + int(name[len(name)-1])*5) & 63)
}

// index notes the name of the field that was added last, and reports whether the name is
// new.
func (f *fields) index() bool {
	n := len(f.list) - 1
	name := f.list[n].name
	m := mark(name)
	if f.names != nil {
		if f.names[string(name)] {
			return false
		}
		f.names[string(name)] = true
	} else if f.marks&m != 0 && slices.ContainsFunc(f.list[:n], func(o field) bool { return bytes.Equal(o.name, name) }) {
		return false
	} else if n == few {
		f.names = make(map[string]bool, 2*n)
		for i := range f.list {
			f.names[string(f.list[i].name)] = true
		}
	}
	f.marks |= m
	return true
}

// rooms holds arrays for the fields of an item while it is parsed.
var rooms = sync.Pool{New: func() any { return new([16]field) }}

// split divides data, which must be one JSON object, into its fields. Their list uses
// room first.
func split(data []byte, room *[16]field) (fields, error) {
	if at := jsonscan.Space(data, 0); at < len(data) && data[at] == '{' {
		f, end, err := cut(data, at, room[:0])
		if err == nil && jsonscan.Space(data, end) == len(data) {
			return f, nil
		}
		if err != nil && !errors.Is(err, errNotJSON) {
			return f, err
		}
	}
	return fields{}, refusal(bytes.TrimLeft(data, " \t\r\n"))
}

// refusal returns the reason why data is not one JSON object.
func refusal(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return cutShort(err)
	}
	if open != json.Delim('{') {
		return fmt.Errorf("it starts with %q", clip(string(bytes.TrimSpace(data)), 20))
	}
	var object json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&object); err != nil {
		return cutShort(err)
	}
	return errors.New("there is data after the object")
}

// cutShort replaces a bare io.EOF with a readable error.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// errNotJSON says that the data is not JSON.
var errNotJSON = errors.New("it is not JSON")

// cut divides the object that starts at an index into its fields, validates it, and
// returns the index after it. The values are slices of data.
func cut(data []byte, at int, room []field) (f fields, end int, err error) {
	f.list = room
	at = jsonscan.Space(data, at+1)
	if at < len(data) && data[at] == '}' {
		return f, at + 1, nil
	}
	for {
		if at >= len(data) || data[at] != '"' {
			return f, at, errNotJSON
		}
		behind, escaped, problem := jsonscan.String(data, at+1)
		if problem != "" {
			return f, at, errNotJSON
		}
		key := data[at+1 : behind-1]
		if escaped {
			unescaped, err := unquote(data[at:behind])
			if err != nil {
				return f, at, err
			}
			key = []byte(unescaped)
		}
		at = jsonscan.Space(data, behind)
		if at >= len(data) || data[at] != ':' {
			return f, at, errNotJSON
		}
		begin := jsonscan.Space(data, at+1)
		if at, err = value(data, begin); err != nil {
			return f, at, err
		}
		f.list = append(f.list, field{key, data[begin:at:at]})
		if !f.index() {
			return f, at, fmt.Errorf("field %q is given twice", clip(string(key), 80))
		}
		at = jsonscan.Space(data, at)
		switch {
		case at < len(data) && data[at] == ',':
			at = jsonscan.Space(data, at+1)
		case at < len(data) && data[at] == '}':
			return f, at + 1, nil
		default:
			return f, at, errNotJSON
		}
	}
}

// value validates the value that starts at an index, and returns the index after it. A
// value that is nested deeper than jsonscan supports is read by encoding/json.
func value(data []byte, at int) (end int, err error) {
	end, problem := jsonscan.Value(data, at)
	if problem == jsonscan.TooNested {
		var deep json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(data[at:]))
		if dec.Decode(&deep) == nil {
			return at + int(dec.InputOffset()), nil
		}
	}
	if problem != "" {
		return end, errNotJSON
	}
	return end, nil
}

// unquote decodes a JSON string.
func unquote(raw []byte) (s string, err error) {
	err = json.Unmarshal(raw, &s)
	return s, err
}

// plain returns the content of a valid JSON string that has no escapes.
func plain(valid []byte) ([]byte, bool) {
	if len(valid) == 0 || valid[0] != '"' || bytes.IndexByte(valid, '\\') >= 0 {
		return nil, false
	}
	return valid[1 : len(valid)-1], true
}
