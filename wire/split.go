package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// fields are those of one JSON object: their bytes, untouched, by name.
type fields map[string]json.RawMessage

// split cuts data, which has to be one JSON object, into its fields.
func split(data []byte) (fields, error) {
	if data = bytes.TrimLeft(data, " \t\r\n"); json.Valid(data) && data[0] == '{' {
		return cut(data)
	}
	return nil, refusal(data)
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
	f := make(fields, 16)
	text := string(object) // for the keys to be parts of it
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
		key := text[begin+1 : at-1]
		if _, ok := plain(object[begin:at]); !ok {
			if err := json.Unmarshal(object[begin:at], &key); err != nil {
				return nil, err
			}
		}
		begin = space(object, space(object, at)+1) // behind the colon
		at = value(object, begin)
		if _, twice := f[key]; twice {
			return nil, fmt.Errorf("field %q is given twice", clip(key, 80))
		}
		f[key] = object[begin:at:at]
	}
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
			for at < len(valid) && bytes.IndexByte([]byte(",:]} \n\t\r"), valid[at]) < 0 {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// plain is what stands in a valid JSON value that is a string without escapes.
func plain(valid []byte) ([]byte, bool) {
	if valid[0] != '"' || bytes.IndexByte(valid, '\\') >= 0 {
		return nil, false
	}
	return valid[1 : len(valid)-1], true
}
