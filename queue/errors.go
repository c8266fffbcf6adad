package queue

import (
	"errors"
	"fmt"
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
	// Index of the message among those of the Send, from 0.
	Index int
	// Field: "delay", "group", "deduplication id", "body", "attributes".
	Field string
	// Problem, with the value and the limit.
	Problem string
}

func (e *InvalidMessageError) Error() string {
	return fmt.Sprintf("queue: message %d not sent: %s: %s", e.Index, e.Field, e.Problem)
}

// RejectedError says that the service refuses one message of a Send for good:
// sending it again as it is can't help. Messages before it may be in.
type RejectedError struct {
	// Index of the message among those of the Send, from 0.
	Index int
	// Code and Message as the service gave them.
	Code, Message string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("queue: message %d rejected by the service: %s: %s", e.Index, e.Code, e.Message)
}
