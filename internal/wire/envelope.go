package wire

import (
	"bytes"
	"encoding/json"
)

// Unwrap returns the work item inside the envelope that EventBridge Scheduler sends to
// its dead-letter queue, which is the delay queue: the failed request,
// {"MessageBody":"…the work item…","QueueUrl":"…"}. It returns any other body, such as a
// work item, unchanged.
func Unwrap(body []byte) []byte {
	// Nearly all bodies are not envelopes and need not be parsed twice. An envelope has
	// no version.
	if bytes.HasPrefix(body, []byte(`{"v":`)) || !bytes.Contains(body, []byte(`"MessageBody"`)) {
		return body
	}
	var envelope struct {
		Kind        *json.RawMessage `json:"kind"`
		MessageBody *string          `json:"MessageBody"`
	}
	if json.Unmarshal(body, &envelope) != nil || envelope.Kind != nil || envelope.MessageBody == nil {
		return body
	}
	return []byte(*envelope.MessageBody)
}
