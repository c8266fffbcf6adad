package edge

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// Unsendable is the failure for a value that no message can hold.
func Unsendable(err error, what string) *history.Failure {
	f := &history.Failure{Kind: history.FailureInvalidInput, Message: fmt.Sprintf("the %s can't be sent: %v", what, err)}
	if TooLarge(err) {
		f.Kind = history.FailureTooLarge
	}
	return f
}

// Unfit reports whether an item could not be encoded for its own fault.
func Unfit(err error) bool {
	_, malformed := errors.AsType[*wire.ParseError](err)
	return malformed || TooLarge(err)
}

// TooLarge reports whether an item could not be encoded because it is too long.
func TooLarge(err error) bool {
	parse, malformed := errors.AsType[*wire.ParseError](err)
	_, invalid := errors.AsType[*queue.InvalidMessageError](err)
	return malformed && parse.Reason == wire.ReasonTooLarge || invalid
}
