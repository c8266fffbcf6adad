package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// Answers stores the answers to updates, one item for each update. A process writes an answer after the
// commit that decided about the update, and again whenever it sends the messages of that commit again.
// Answers are kept for AnswerRetention. They return the errors of Store.
type Answers interface {
	// PutAnswer stores an answer, unless the stored one stays (Answer.Replaces). That is not an error:
	// a repeat of the same answer changes nothing, and does not change its expiry.
	PutAnswer(ctx context.Context, a Answer) error

	// ReadAnswer returns the answer to an update, strongly consistent. An answer that has expired may
	// still be returned. Errors: ErrNoAnswer if there is none, *CorruptError for an answer that cannot
	// be decoded, history.ErrNewer (wrapped) for one that a newer build wrote.
	ReadAnswer(ctx context.Context, key AnswerKey) (Answer, error)

	// DeleteAnswers deletes the answers to all updates of an instance, for a purge. It deletes at most
	// `limit` of them in one call (0 for no limit) and reports whether it is done. Repeating it is not
	// an error.
	DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error)
}

// AnswerRetention is how long an answer is kept after it was last stored: one day longer than a message
// can live, so that every repeat of a request finds it.
const AnswerRetention = 15 * 24 * time.Hour

// ErrNoAnswer is returned by ReadAnswer if there is no answer to the update.
var ErrNoAnswer = errors.New("there is no answer to the update")

// AnswerKey identifies an update: the instance, the id of the start that began its run, and the id that
// the caller gave the update.
type AnswerKey struct {
	Instance, StartID, ID string
}

// NotFound returns an ErrNoAnswer that names the update.
func (k AnswerKey) NotFound() error {
	return fmt.Errorf("store: update %q of instance %q: %w", k.ID, k.Instance, ErrNoAnswer)
}

// Corrupt returns a *CorruptError for a stored answer that cannot be decoded.
func (k AnswerKey) Corrupt(executionID int64, err error) error {
	return &CorruptError{Instance: k.Instance, ExecutionID: executionID, Reason: fmt.Sprintf("the answer to update %q: %v", k.ID, err)}
}

// Answer is what is known about an update outside the history.
type Answer struct {
	AnswerKey
	// ExecutionID has the event. It is 0 if the instance refused the request without recording it. The
	// event is then an ExternalRejected with the id 1 and the reason.
	ExecutionID int64
	// Event is the last event about the update: the ExternalRejected that rejects it, the SystemCall
	// that accepts it, or the one with the result of its handler.
	Event history.Event
	// ExpiresAt is when the item may be deleted. It is stored in whole seconds, UTC.
	ExpiresAt time.Time
}

// Open reports whether a later answer replaces this one: it accepts the update, or refuses the request.
// An answer that rejects the update, or has the result of its handler, is final. It stays even if a
// redrive runs the handler again.
func (a *Answer) Open() bool { return !a.Decided() || a.Event.Op == history.OpAcceptUpdate }

// Replaces reports whether a replaces b: b is open, and the event of a comes later in the histories of
// the instance.
func (a *Answer) Replaces(b *Answer) bool {
	if !b.Open() {
		return false
	}
	if a.ExecutionID != b.ExecutionID {
		return a.ExecutionID > b.ExecutionID
	}
	return a.Event.EventID > b.Event.EventID
}

// Decided reports whether the instance has accepted or rejected the update, so that a repeat of the
// request changes nothing.
func (a *Answer) Decided() bool { return a.ExecutionID > 0 }

// EncodeAnswer returns the document that stores keep of an answer's event.
func EncodeAnswer(e *history.Event) []byte { return history.Encode([]history.Event{*e}) }

// DecodeAnswer returns the event of a document that EncodeAnswer made, for the answer with this key and
// execution. Errors: *CorruptError, history.ErrNewer (wrapped).
func DecodeAnswer(key AnswerKey, executionID int64, doc []byte) (history.Event, error) {
	events, err := history.Decode(doc)
	if errors.Is(err, history.ErrNewer) {
		return history.Event{}, fmt.Errorf("store: decoding the answer to update %q of instance %q: %w", key.ID, key.Instance, err)
	}
	if err == nil && len(events) != 1 {
		err = fmt.Errorf("it has %d events instead of 1", len(events))
	}
	if err != nil {
		return history.Event{}, key.Corrupt(executionID, err)
	}
	return events[0], nil
}
