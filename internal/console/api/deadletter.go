package api

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// DeadLetter is a message in a dead-letter queue.
type DeadLetter struct {
	MessageID string `json:"message_id"`
	// Queue is the queue that has it, Source the queue to which a redrive sends it.
	Queue  string `json:"queue"`
	Source string `json:"source"`
	// Reason for which it was moved; omitted if SQS moved it after its last receive.
	Reason string `json:"reason,omitempty"`
	// ReasonText explains the reason.
	ReasonText string `json:"reason_text,omitempty"`
	// Kind of the work item; "?" if it cannot be parsed.
	Kind         string    `json:"kind"`
	Instance     string    `json:"instance,omitempty"`
	Group        string    `json:"group,omitempty"`
	DedupID      string    `json:"dedup_id,omitempty"`
	SentAt       time.Time `json:"sent_at"`
	ReceiveCount int       `json:"receive_count"`
	// Attributes, Body and Opened are included if a single dead letter is requested.
	Attributes map[string]string `json:"attributes,omitempty"`
	Body       string            `json:"body,omitempty"`
	// Opened is the body with decoded payloads; omitted if no payload is encoded.
	Opened string `json:"opened,omitempty"`
	// DecodeError is why payloads in the body cannot be decoded.
	DecodeError string `json:"decode_error,omitempty"`
	// Unread is why the body is not a work item.
	Unread string `json:"unread,omitempty"`
	// Folded names the fields that a list left out because of their size: "body".
	Folded []string `json:"folded,omitempty"`
	// Advice is what to do about it.
	Advice string `json:"advice,omitempty"`
}

// DeadLetters are the dead letters that were read.
type DeadLetters struct {
	Letters []DeadLetter `json:"letters"`
	// More are the queues that may have more.
	More []string `json:"more,omitempty"`
}

// PeekDeadLetters reads dead letters. Reading hides them from other readers for a moment.
type PeekDeadLetters struct {
	deadletter.Selection
	// Limit is the maximum number from each queue, 1 to 100; default 50.
	Limit int `json:"limit,omitempty"`
}

// RemoveDeadLetters redrives or deletes dead letters: those of message_ids or, with all, those that
// the other fields select.
type RemoveDeadLetters struct {
	deadletter.Selection
	All bool `json:"all,omitempty"`
	// To is the queue to which they are sent; omitted for the queue that each came from. It does
	// not apply to deletion.
	To string `json:"to,omitempty"`
	// DryRun changes nothing; the response shows what would be done.
	DryRun bool `json:"dry_run,omitempty"`
}

// RemovedDeadLetters is the result.
type RemovedDeadLetters struct {
	Done []RemovedDeadLetter `json:"done"`
	// Late is how many were left because they arrived after the request started.
	Late int `json:"late,omitempty"`
	// Missing are message ids that were not found: they were redriven or deleted, another reader
	// has received them, or ten others of their instance precede them.
	Missing []string `json:"missing,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

// DeadLetterOf returns the JSON form of a dead letter, without its body.
func DeadLetterOf(l *deadletter.Letter) DeadLetter {
	return DeadLetter{
		MessageID: l.ID, Queue: l.Queue, Source: l.Source(), Reason: string(l.Reason), ReasonText: l.Text,
		Kind: l.Kind(), Instance: l.Instance(), Group: l.Group, DedupID: l.DedupID,
		SentAt: l.SentAt.UTC(), ReceiveCount: l.ReceiveCount,
	}
}

// RemovedDeadLetter is the result for one dead letter.
type RemovedDeadLetter struct {
	MessageID string `json:"message_id"`
	Queue     string `json:"queue"`
	// To is the queue to which it was sent; omitted if it was deleted.
	To       string `json:"to,omitempty"`
	Kind     string `json:"kind"`
	Instance string `json:"instance,omitempty"`
	// Error is why it is still in its queue.
	Error string `json:"error,omitempty"`
}

// RemovedDeadLetterOf returns the JSON form of the result for a dead letter.
func RemovedDeadLetterOf(r *deadletter.Removed) RemovedDeadLetter {
	out := RemovedDeadLetter{MessageID: r.ID, Queue: r.Queue, To: r.To, Kind: r.Kind(), Instance: r.Instance()}
	if r.Err != nil {
		out.Error = r.Err.Error()
	}
	return out
}
