package api

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/deadletter"
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
	// Opened is the body with decoded payloads; omitted if no payload is encoded.
	Opened string `json:"opened,omitempty"`
	// DecodeError says why payloads in the body cannot be opened.
	DecodeError string `json:"decode_error,omitempty"`
	// Unread says why the body is no work item.
	Unread string `json:"unread,omitempty"`
	// Folded names what a list left out for its size: "body".
	Folded []string `json:"folded,omitempty"`
	// Advice says what to do.
	Advice string `json:"advice,omitempty"`
}

// DeadLetters are those that were seen.
type DeadLetters struct {
	Letters []DeadLetter `json:"letters"`
	// More are the queues in which there may be more.
	More []string `json:"more,omitempty"`
}

// SelectDeadLetters says which dead letters are meant; without fields all are.
type SelectDeadLetters struct {
	// Queue: "dead-fifo" or "dead".
	Queue string `json:"queue,omitempty"`
	// Reason by which they were moved; "none" for what SQS moved itself.
	Reason     string   `json:"reason,omitempty"`
	Instance   string   `json:"instance,omitempty"`
	MessageIDs []string `json:"message_ids,omitempty"`
}

// PeekDeadLetters asks for dead letters. Looking hides them from others for that
// moment.
type PeekDeadLetters struct {
	SelectDeadLetters
	// Limit of each queue, 1 to 100; default 50.
	Limit int `json:"limit,omitempty"`
}

// RemoveDeadLetters redrives or deletes dead letters: those of message_ids, or
// with all those that the other fields select.
type RemoveDeadLetters struct {
	SelectDeadLetters
	All bool `json:"all,omitempty"`
	// To is the queue that they are sent to; left out for that which each came
	// from. Not for deleting.
	To string `json:"to,omitempty"`
	// DryRun only says what would be done.
	DryRun bool `json:"dry_run,omitempty"`
}

// RemovedDeadLetters is what became of them.
type RemovedDeadLetters struct {
	Done []RemovedDeadLetter `json:"done"`
	// Late are how many were left, for they came in after this began.
	Late int `json:"late,omitempty"`
	// Missing are message ids that were not found: redriven or deleted, looked at
	// by someone else right now, or behind ten others of their instance.
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
