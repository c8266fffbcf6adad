package turnstile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"
)

// encode returns v as JSON. what and name describe the value in errors.
func encode[T any](v T, what, name string) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &EncodeError{What: what, Name: name, Type: typeName[T](), Err: err}
	}
	if err := fits(data, what, name); err != nil {
		return nil, err
	}
	return data, nil
}

// lent is a value as JSON in a reusable buffer. On replay an input is compared with the recorded
// one and dropped, so most inputs need no allocation of their own.
type lent struct {
	data []byte
	from *jsonWriter
}

var writers = sync.Pool{New: func() any { return new(jsonWriter) }}

// encodeLent is encode into a buffer that the caller returns with giveBack. byAddress is
// sameByAddress of T.
func encodeLent[T any](v *T, byAddress bool, what, name string) (lent, error) {
	w := writers.Get().(*jsonWriter)
	var value any = v
	if !byAddress {
		value = *v
	}
	data, err := w.write(value)
	if err == nil {
		err = fits(data, what, name)
	} else {
		err = &EncodeError{What: what, Name: name, Type: typeName[T](), Err: err}
	}
	l := lent{data, w}
	if err != nil {
		l.giveBack()
		return lent{}, err
	}
	return l, nil
}

// giveBack returns the buffer for reuse.
func (l lent) giveBack() {
	const most = 32 << 10 // Larger buffers are rare, and are not kept.
	if cap(l.data) <= most {
		writers.Put(l.from)
	}
}

func fits(data []byte, what, name string) error {
	if len(data) > MaxPayload {
		return &PayloadTooLargeError{What: what, Name: name, Size: len(data), Limit: MaxPayload}
	}
	return nil
}

// decode decodes JSON into a value. An absent payload decodes to the zero value, as null does. If
// encoded is true, the text of the error does not quote the payload.
func decode[T any](data []byte, what, name string, encoded bool) (T, error) {
	var v T
	err := decodeInto(&v, data, what, name, encoded)
	return v, err
}

// decodeInto decodes into v, which must be zero and stays zero if there is an error.
func decodeInto[T any](v *T, data []byte, what, name string, encoded bool) error {
	if len(data) == 0 {
		return nil
	}
	if err := unmarshal(data, v); err != nil {
		var zero T
		*v = zero
		return &DecodeError{What: what, Name: name, Type: typeName[T](), Payload: bytes.Clone(data), Err: err, encoded: encoded}
	}
	return nil
}

// normalize decodes a payload into the current type and encodes it again. Rule 3 compares inputs in
// this form if their bytes differ, because adding a field to a type must not make every running
// instance stuck.
func normalize[T any](data []byte) ([]byte, error) {
	var v T
	if len(data) > 0 {
		if err := unmarshal(data, &v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(v)
}

func typeName[T any]() string { return reflect.TypeFor[T]().String() }
