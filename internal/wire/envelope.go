package wire

import (
	"bytes"
	"encoding/json"
)

// Unwrap takes a work item out of the envelope in which EventBridge Scheduler
// hands it to its dead-letter queue, which is our delay queue: the request that
// failed, {"MessageBody":"…the work item…","QueueUrl":"…"}. Any other body,
// a work item above all, comes back as it is.
func Unwrap(body []byte) []byte {
	// Nearly all bodies are none, and need not be read twice; an envelope has no
	// version.
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
