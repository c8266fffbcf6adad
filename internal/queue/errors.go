package queue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Errors that a Queue returns, wrapped; for errors.Is.
var (
	// ErrUnavailable means throttling or a temporary fault.
	ErrUnavailable = errors.New("queue: unavailable, try again")
	// ErrReceiptExpired means that the delivery of a receipt is over, because its visibility
	// timeout ran out. The message was not changed; it is redelivered.
	ErrReceiptExpired = errors.New("queue: the receipt has expired; the message is redelivered")
)

// InvalidMessageError says why a message cannot be sent. Send has sent no message.
type InvalidMessageError struct {
	// Index of the message in the Send, from 0.
	Index int
	// Field is "delay", "group", "deduplication id", "body" or "attributes".
	Field string
	// Problem, with the value and the limit.
	Problem string
}

func (e *InvalidMessageError) Error() string {
	return fmt.Sprintf("queue: could not send message %d: %s: %s", e.Index, e.Field, e.Problem)
}

// RejectedError says that the service rejects one message of a Send because of the message itself: it
// is longer than the queue accepts, or has contents that no queue accepts. Sending it again unchanged
// cannot succeed; the other messages of the Send are not affected. A refusal for any other reason (a
// key, a permission, an unknown code) is not a RejectedError: the same message may be accepted once the
// queue is fixed.
type RejectedError struct {
	// Index of the message in the Send, from 0.
	Index int
	// TooLarge is set if it was rejected for its size; otherwise it was rejected for its contents.
	TooLarge bool
	// Code and Message as the service returned them.
	Code, Message string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("queue: message %d rejected by the service: %s: %s", e.Index, e.Code, e.Message)
}

// PartialError says for which messages of a Send or a SetVisibility the call is not known to have
// succeeded; it succeeded for the others. errors.Is and As find the error of each of them.
type PartialError struct {
	// Failed are the errors by the index of the message in the call, from 0.
	Failed map[int]error
	// Of is how many messages the call had.
	Of int
}

// Partial returns the error of a call for so many messages: nil without failures, the error itself for
// a single message, and otherwise a *PartialError.
func Partial(failed map[int]error, of int) error {
	switch {
	case len(failed) == 0:
		return nil
	case of == 1:
		return failed[0]
	}
	return &PartialError{failed, of}
}

func (e *PartialError) Error() string {
	var first error
	for _, err := range e.Unwrap() {
		first = err
		break
	}
	return fmt.Sprintf("queue: %d of %d messages failed: %v", len(e.Failed), e.Of, first)
}

// Unwrap returns the errors in the order of the messages.
func (e *PartialError) Unwrap() []error {
	var errs []error
	for _, i := range slices.Sorted(maps.Keys(e.Failed)) {
		errs = append(errs, e.Failed[i])
	}
	return errs
}

// ErrorOf returns the error for one of the messages of a Send or a SetVisibility that returned err; nil
// if the call succeeded for that message.
func ErrorOf(err error, index int) error {
	if partial, ok := errors.AsType[*PartialError](err); ok {
		return partial.Failed[index]
	}
	return err
}
