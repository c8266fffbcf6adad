//go:build !goexperiment.jsonv2

package turnstile

import (
	"bytes"
	"encoding/json"
)

// unmarshal is json.Unmarshal into a zero value.
func unmarshal[T any](data []byte, v *T) error { return json.Unmarshal(data, v) }

// jsonWriter writes the same JSON as json.Marshal, and reuses its buffer.
type jsonWriter struct {
	room    bytes.Buffer
	encoder *json.Encoder
}

// write returns v as JSON. The bytes are valid until the next call.
func (w *jsonWriter) write(v any) ([]byte, error) {
	if w.encoder == nil {
		w.encoder = json.NewEncoder(&w.room)
	}
	w.room.Reset()
	if err := w.encoder.Encode(v); err != nil {
		return nil, err
	}
	return w.room.Bytes()[:w.room.Len()-1], nil // without the newline
}
