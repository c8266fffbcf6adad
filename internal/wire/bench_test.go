package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// completion is the message that starts most turns, with a result of 200 bytes.
const completion = `{"v":1,"kind":"ActivityCompleted","instance":"order-4711","execution_id":1,"source_event_id":12,` +
	`"token":"1.kZ0h2vJ3m7b9Q1xY5sT8wA","attempt":1,"started_at_ms":1700000000000,"request_id":"8476a536-e9f4-11e8-9739-2dfe598c3fcd","result":`

// envelope is the type that encoding/json decodes the same message into.
type envelope struct {
	V             int             `json:"v"`
	Kind          string          `json:"kind"`
	Instance      string          `json:"instance"`
	ExecutionID   int64           `json:"execution_id"`
	SourceEventID int64           `json:"source_event_id"`
	Token         string          `json:"token"`
	Attempt       int             `json:"attempt"`
	StartedAtMS   int64           `json:"started_at_ms"`
	RequestID     string          `json:"request_id"`
	Result        json.RawMessage `json:"result"`
}

// BenchmarkBody measures parsing and encoding a message body with this package and with
// encoding/json. Only this package rejects duplicate fields and names of another case,
// keeps unknown fields, and keeps the bytes of payloads.
func BenchmarkBody(b *testing.B) {
	body := []byte(completion + `{"order":"o-1","note":"` + strings.Repeat("n", 170) + `"}}`)
	item, err := wire.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	var standard envelope
	if err := json.Unmarshal(body, &standard); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"read", func() error { _, err := wire.Parse(body); return err }},
		{"read by encoding-json", func() error { var e envelope; return json.Unmarshal(body, &e) }},
		{"written", func() error { _, err := item.Encode(); return err }},
		{"written by encoding-json", func() error { _, err := json.Marshal(&standard); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
