//go:build goexperiment.jsonv2

package turnstile

import (
	"bytes"
	"encoding/json"
	jsonv2 "encoding/json/v2"
)

// uncheckedV1 decodes as json.Unmarshal does, but without the pass that first checks whether the
// whole value is valid JSON: payloads were checked when their history, or their message, was read.
var uncheckedV1 = jsonv2.JoinOptions(json.DefaultOptionsV1(), json.ReportErrorsWithLegacySemantics(false))

// unmarshal is json.Unmarshal into a zero value. If the value does not fit, it returns the error of
// json.Unmarshal.
func unmarshal[T any](data []byte, v *T) error {
	if jsonv2.Unmarshal(data, v, uncheckedV1) == nil {
		return nil
	}
	var zero T
	*v = zero
	return json.Unmarshal(data, v)
}

// jsonWriter writes the same JSON as json.Marshal, and reuses its buffer.
type jsonWriter struct{ room bytes.Buffer }

// write returns v as JSON. The bytes are valid until the next call.
func (w *jsonWriter) write(v any) ([]byte, error) {
	w.room.Reset()
	if err := jsonv2.MarshalWrite(&w.room, v, json.DefaultOptionsV1()); err != nil {
		return nil, err
	}
	return w.room.Bytes(), nil
}
