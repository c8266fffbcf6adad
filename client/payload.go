package client

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/turnstile-go/turnstile"
)

// encode returns v as JSON. what and name describe the value in errors.
func encode[T any](v T, what, name string) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, &turnstile.EncodeError{What: what, Name: name, Type: reflect.TypeFor[T]().String(), Err: err}
	}
	if len(data) > turnstile.MaxPayload {
		return nil, &turnstile.PayloadTooLargeError{What: what, Name: name, Size: len(data), Limit: turnstile.MaxPayload}
	}
	return data, nil
}

// decode decodes JSON into a value. An absent payload gives the zero value, like null.
func decode[T any](data []byte, what, name string) (T, error) {
	var v T
	if len(data) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(data, &v); err != nil {
		var zero T
		return zero, &turnstile.DecodeError{What: what, Name: name, Type: reflect.TypeFor[T]().String(), Payload: bytes.Clone(data), Err: err}
	}
	return v, nil
}
