package api

import (
	"time"

	"github.com/turnstile-go/turnstile/deadletter"
)

// DeadLetter is a message that was given up.
type DeadLetter struct {
	MessageID string `json:"message_id"`
	// Queue that it stands in, Source that it goes back to.
	Queue  string `json:"queue"`
	Source string `json:"source"`
	// Reason by which it was moved; left out if SQS moved it after its last
	// receive.
	Reason string `json:"reason,omitempty"`
	// ReasonText is what stands behind the reason's word.
	ReasonText string `json:"reason_text,omitempty"`
	// Kind of the work item; "?" for one that can't be read.
	Kind         string    `json:"kind"`
	Instance     string    `json:"instance,omitempty"`
	Group        string    `json:"group,omitempty"`
	DedupID      string    `json:"dedup_id,omitempty"`
	SentAt       time.Time `json:"sent_at"`
	ReceiveCount int       `json:"receive_count"`
	// Attributes, Body and Opened are shown of single ones.
	Attributes map[string]string `json:"attributes,omitempty"`
	Body       string            `json:"body,omitempty"`
	// Opened is the body with plain payloads, where they were sealed.
	Opened string `json:"opened,omitempty"`
}

// DeadLetterOf returns the JSON form of a dead letter, without its body.
func DeadLetterOf(l *deadletter.Letter) DeadLetter {
	return DeadLetter{
		MessageID: l.ID, Queue: l.Queue, Source: l.Source(), Reason: string(l.Reason), ReasonText: l.Text,
		Kind: l.Kind(), Instance: l.Instance(), Group: l.Group, DedupID: l.DedupID,
		SentAt: l.SentAt.UTC(), ReceiveCount: l.ReceiveCount,
	}
}

// RemovedDeadLetter is what became of a dead letter that was to be redriven or
// deleted.
type RemovedDeadLetter struct {
	MessageID string `json:"message_id"`
	Queue     string `json:"queue"`
	// To is the queue that it was sent to; left out if it is deleted.
	To       string `json:"to,omitempty"`
	Kind     string `json:"kind"`
	Instance string `json:"instance,omitempty"`
	// Error is why it is still there.
	Error string `json:"error,omitempty"`
}

// RemovedDeadLetterOf returns the JSON form of what became of a dead letter.
func RemovedDeadLetterOf(r *deadletter.Removed) RemovedDeadLetter {
	out := RemovedDeadLetter{MessageID: r.ID, Queue: r.Queue, To: r.To, Kind: r.Kind(), Instance: r.Instance()}
	if r.Err != nil {
		out.Error = r.Err.Error()
	}
	return out
}
