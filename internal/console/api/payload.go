package api

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Payload is a value of an event: input, output, result, data.
type Payload struct {
	// Bytes is its size.
	Bytes int `json:"bytes"`
	// Value is the payload, if it is JSON. A reader whose numbers have 53 bits (JavaScript) should
	// use Raw.
	Value json.RawMessage `json:"value,omitempty"`
	// Raw is the exact text of the payload. It is present if a single event is requested and the
	// payload is UTF-8.
	Raw string `json:"raw,omitempty"`
	// Base64 is a payload that is not JSON, in base64.
	Base64 []byte `json:"base64,omitempty"`
	// Folded is set if the payload is too large for a list. A request for the single event returns
	// it.
	Folded bool `json:"folded,omitempty"`
	// Codec encoded it, and this program does not have that codec, so the payload is not
	// shown.
	Codec string `json:"codec,omitempty"`
}

// FoldOver is the size in bytes over which a payload is left out of lists.
const FoldOver = 4096

// payloadOf returns the JSON form of an event's payload; nil for none.
func payloadOf(e *history.Event, whole bool) *Payload {
	n := len(e.Payload)
	switch {
	case n == 0:
		return nil
	case e.Codec != "":
		return &Payload{Bytes: n, Codec: e.Codec}
	case n > FoldOver && !whole:
		return &Payload{Bytes: n, Folded: true}
	}
	p := &Payload{Bytes: n}
	if json.Valid(e.Payload) {
		p.Value = e.Payload
	} else {
		p.Base64 = e.Payload
	}
	if whole && utf8.Valid(e.Payload) {
		p.Raw = string(e.Payload)
	}
	return p
}

// valueJSON returns a payload as a JSON value; a payload that a codec has encoded becomes base64.
func valueJSON(payload []byte) json.RawMessage {
	if len(payload) == 0 || json.Valid(payload) {
		return payload
	}
	// Bytes always become JSON.
	text, _ := json.Marshal(payload)
	return text
}

func failureOf(f *history.Failure) *wire.Failure {
	out := wire.FailureOf(f)
	if out != nil {
		out.Details = valueJSON(out.Details)
	}
	return out
}

// bareFailureOf returns the JSON form of a failure without its stack and details, which the event has.
func bareFailureOf(f *history.Failure) *wire.Failure {
	out := wire.FailureOf(f)
	if out != nil {
		out.Details, out.Stack = nil, ""
	}
	return out
}
