package turnstile

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// MaxPayload is how large one value may be as JSON, in bytes: an input, a
// result, the data of an event, a status. What is larger belongs in a bucket
// or a table, and a reference to it in the value.
const MaxPayload = 256 << 10

// encode returns v as JSON. what and name say whose value it is.
func encode[T any](v T, what, name string) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &EncodeError{What: what, Name: name, Type: typeName[T](), Err: err}
	}
	if len(data) > MaxPayload {
		return nil, &PayloadTooLargeError{What: what, Name: name, Size: len(data), Limit: MaxPayload}
	}
	return data, nil
}

// decode reads JSON into a value. An absent payload is the zero value, as null
// is. Sealed keeps the payload's text out of the error's.
func decode[T any](data []byte, what, name string, sealed bool) (T, error) {
	var v T
	if len(data) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(data, &v); err != nil {
		var zero T
		return zero, &DecodeError{What: what, Name: name, Type: typeName[T](), Payload: bytes.Clone(data), Err: err, sealed: sealed}
	}
	return v, nil
}

// normalize passes a payload through the type that the code has now: rule 3
// compares inputs so when their bytes differ, for a field added to a type must
// not park every running instance.
func normalize[T any](data []byte) ([]byte, error) {
	var v T
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(v)
}

func typeName[T any]() string { return reflect.TypeFor[T]().String() }
