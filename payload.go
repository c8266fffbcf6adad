package turnstile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"
)

// encode returns v as JSON. what and name say whose value it is.
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

// lent is a value as JSON in room that is used again. On replay an input is
// compared with the recorded one and dropped, so that most need none of their
// own.
type lent struct {
	data []byte
	from *jsonWriter
}

var writers = sync.Pool{New: func() any { return new(jsonWriter) }}

// encodeLent is encode for those who give the bytes back. byAddress is
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

// giveBack ends the use of the bytes.
func (l lent) giveBack() {
	const most = 32 << 10 // Few are longer; their room is not kept.
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

// decode reads JSON into a value. An absent payload is the zero value, as null
// is. Sealed keeps the payload's text out of the error's.
func decode[T any](data []byte, what, name string, sealed bool) (T, error) {
	var v T
	err := decodeInto(&v, data, what, name, sealed)
	return v, err
}

// decodeInto is decode into v, which is zero, and stays so with an error.
func decodeInto[T any](v *T, data []byte, what, name string, sealed bool) error {
	if len(data) == 0 {
		return nil
	}
	if err := unmarshal(data, v); err != nil {
		var zero T
		*v = zero
		return &DecodeError{What: what, Name: name, Type: typeName[T](), Payload: bytes.Clone(data), Err: err, sealed: sealed}
	}
	return nil
}

// normalize passes a payload through the type that the code has now: rule 3
// compares inputs so when their bytes differ, for a field added to a type must
// not park every running instance.
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
