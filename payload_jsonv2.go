//go:build goexperiment.jsonv2

package turnstile

import (
	"bytes"
	"encoding/json"
	jsonv2 "encoding/json/v2"
)

// uncheckedV1 reads as json.Unmarshal does, but for the pass over the whole value
// that finds out ahead whether it is JSON: payloads have been checked when their
// history, or their message, was read.
var uncheckedV1 = jsonv2.JoinOptions(json.DefaultOptionsV1(), json.ReportErrorsWithLegacySemantics(false))

// unmarshal is json.Unmarshal into a zero value. Where the value does not fit,
// what json.Unmarshal says of it counts.
func unmarshal[T any](data []byte, v *T) error {
	if jsonv2.Unmarshal(data, v, uncheckedV1) == nil {
		return nil
	}
	var zero T
	*v = zero
	return json.Unmarshal(data, v)
}

// jsonWriter writes what json.Marshal returns, again and again, without making
// the room for it each time.
type jsonWriter struct{ room bytes.Buffer }

// write returns v as JSON, until the next call.
func (w *jsonWriter) write(v any) ([]byte, error) {
	w.room.Reset()
	if err := jsonv2.MarshalWrite(&w.room, v, json.DefaultOptionsV1()); err != nil {
		return nil, err
	}
	return w.room.Bytes(), nil
}
