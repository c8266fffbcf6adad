package queue

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Errors that a Queue returns, wrapped; test with errors.Is.
var (
	// ErrUnavailable: throttled or a passing fault.
	ErrUnavailable = errors.New("queue: unavailable, try again")
	// ErrReceiptExpired: the delivery that a receipt addresses is over, because
	// its visibility timeout ran out. The message was not touched; it is
	// delivered again.
	ErrReceiptExpired = errors.New("queue: receipt has expired, the message is delivered again")
)

// InvalidMessageError says why a message can't be sent. Nothing of the Send
// has been sent.
type InvalidMessageError struct {
	// Index of the message in the Send, from 0.
	Index int
	// Field: "delay", "group", "deduplication id", "body", "attributes".
	Field string
	// Problem, with the value and the limit.
	Problem string
}

func (e *InvalidMessageError) Error() string {
	return fmt.Sprintf("queue: message %d not sent: %s: %s", e.Index, e.Field, e.Problem)
}

// RejectedError says that the service refuses one message of a Send for what the
// message is: it is longer than the queue takes, or has contents that no queue takes.
// Sending it again as it is can't help; the other messages of the Send are not
// affected. A refusal for any other reason (a key, a permission, a code that is not
// known) is an error of its own and not a RejectedError: the same message may be taken
// once the queue is put right.
type RejectedError struct {
	// Index of the message in the Send, from 0.
	Index int
	// TooLarge: for its size; otherwise for its contents.
	TooLarge bool
	// Code and Message as the service gave them.
	Code, Message string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("queue: message %d rejected by the service: %s: %s", e.Index, e.Code, e.Message)
}

// PartialError says of which messages of a Send, or a SetVisibility, it is not
// known that it worked; for the others it did. errors.Is and As find what each of
// them failed for.
type PartialError struct {
	// Failed are the errors by the index of the message in the call, from 0.
	Failed map[int]error
	// Of is how many messages the call had.
	Of int
}

// Partial returns what a call for so many messages returns: nil without a
// failure, the error itself for a single message, and otherwise a *PartialError.
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

// ErrorOf returns what a Send or a SetVisibility that returned err says of one
// of its messages: nil if it worked for that one.
func ErrorOf(err error, index int) error {
	if partial, ok := errors.AsType[*PartialError](err); ok {
		return partial.Failed[index]
	}
	return err
}
