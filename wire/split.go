package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// fields are those of one JSON object: their bytes, untouched, by name. An item
// has a dozen, among which a walk finds one sooner than a map does. What a
// stranger sends may have any number, for which there is one.
type fields struct {
	list []field
	// marks has a bit of each name: most that are asked for are not there.
	marks uint64
	// places in the list, once it has more than few.
	places map[string]int
}

// field is one of them; its name is a part of the body where it has no escapes.
type field struct {
	name []byte
	raw  json.RawMessage
}

const few = 32

// get returns the bytes of a field; nil if it is not there.
func (f *fields) get(name string) json.RawMessage {
	if f.marks&mark(name) == 0 {
		return nil
	}
	if f.places != nil {
		if at, ok := f.places[name]; ok {
			return f.list[at].raw
		}
		return nil
	}
	for i := range f.list {
		if string(f.list[i].name) == name {
			return f.list[i].raw
		}
	}
	return nil
}

// mark is a bit that a name has, and shares with others.
func mark(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((len(name)*7 + int(name[0]) + int(name[len(name)-1])*5) & 63)
}

// add adds a field, and reports whether its name is new.
func (f *fields) add(name []byte, raw json.RawMessage) bool {
	if f.get(string(name)) != nil {
		return false
	}
	f.list = append(f.list, field{name, raw})
	f.marks |= mark(string(name))
	switch n := len(f.list); {
	case f.places != nil:
		f.places[string(name)] = n - 1
	case n > few:
		f.places = make(map[string]int, 2*n)
		for i := range f.list {
			f.places[string(f.list[i].name)] = i
		}
	}
	return true
}

// split cuts data, which has to be one JSON object, into its fields.
func split(data []byte) (fields, error) {
	if data = bytes.TrimLeft(data, " \t\r\n"); json.Valid(data) && data[0] == '{' {
		return cut(data)
	}
	return fields{}, refusal(data)
}

// refusal says what keeps data from being one JSON object.
func refusal(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return cutShort(err)
	}
	if open != json.Delim('{') {
		return fmt.Errorf("it begins with %q", clip(string(bytes.TrimSpace(data)), 20))
	}
	var object json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&object); err != nil {
		return cutShort(err)
	}
	return errors.New("something stands behind the object")
}

// cutShort gives the bare io.EOF a sentence.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// cut cuts an object, of which is known that it is valid JSON, into its
// fields: encoding/json has read it once already, so that the ends of keys and
// values are all that is left to be found. The values are parts of the object.
func cut(object []byte) (fields, error) {
	f := fields{list: make([]field, 0, 12)}
	at := 1
	for {
		at = space(object, at)
		switch object[at] {
		case '}':
			return f, nil
		case ',':
			at = space(object, at+1)
		}
		begin := at
		at = value(object, at)
		key, ok := plain(object[begin:at])
		if !ok {
			unescaped, err := unquote(object[begin:at])
			if err != nil {
				return f, err
			}
			key = []byte(unescaped)
		}
		begin = space(object, space(object, at)+1) // behind the colon
		at = value(object, begin)
		if !f.add(key, object[begin:at:at]) {
			return f, fmt.Errorf("field %q is given twice", clip(string(key), 80))
		}
	}
}

// unquote reads a JSON string.
func unquote(raw []byte) (s string, err error) {
	err = json.Unmarshal(raw, &s)
	return s, err
}

// space is where the white space that begins at an index ends.
func space(valid []byte, at int) int {
	for at < len(valid) && (valid[at] == ' ' || valid[at] == '\n' || valid[at] == '\t' || valid[at] == '\r') {
		at++
	}
	return at
}

// value is where the value that begins at an index ends.
func value(valid []byte, at int) int {
	depth := 0
	for {
		switch c := valid[at]; c {
		case '"':
			for at++; valid[at] != '"'; at++ {
				if valid[at] == '\\' {
					at++
				}
			}
			at++
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\n', '\t', '\r': // inside an object or array
			at++
		default: // a number, or one of the three words
			for at < len(valid) && !closes(valid[at]) {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// closes reports whether a number or a word has ended ahead of a byte.
func closes(c byte) bool {
	switch c {
	case ',', ':', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// plain is what stands in a valid JSON value that is a string without escapes.
func plain(valid []byte) ([]byte, bool) {
	if valid[0] != '"' || bytes.IndexByte(valid, '\\') >= 0 {
		return nil, false
	}
	return valid[1 : len(valid)-1], true
}
