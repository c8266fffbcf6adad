package edge

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// shortText is the number of bytes of the message that a shortened failure keeps.
const shortText = 4 << 10

// Unsendable returns the failure for a value that does not fit into a message.
func Unsendable(err error, what string) *history.Failure {
	f := &history.Failure{Kind: history.FailureInvalidInput, Message: fmt.Sprintf("the %s cannot be sent: %v", what, err)}
	if TooLarge(err) {
		f.Kind = history.FailureTooLarge
	}
	return f
}

// Shortened returns a failure without its details and its stack, for a failure that does not fit
// into a message whole. The result keeps the kind and the code, which retry policies and
// orchestration code check.
func Shortened(err error, f *history.Failure) *history.Failure {
	short := *f
	short.Details, short.Stack = nil, ""
	short.Message = fmt.Sprintf("%s (its details are left out, because the whole failure cannot be sent: %v)", Cut(f.Message, shortText), err)
	return &short
}

// Unfit reports whether an item could not be sent because of the item itself: it could not be
// encoded, or its queue rejects it.
func Unfit(err error) bool {
	_, malformed := errors.AsType[*wire.ParseError](err)
	_, rejected := errors.AsType[*queue.RejectedError](err)
	return malformed || rejected || TooLarge(err)
}

// TooLarge reports whether an item could not be sent because it is too large.
func TooLarge(err error) bool {
	parse, malformed := errors.AsType[*wire.ParseError](err)
	_, invalid := errors.AsType[*queue.InvalidMessageError](err)
	rejected, refused := errors.AsType[*queue.RejectedError](err)
	return malformed && parse.Reason == wire.ReasonTooLarge || invalid || refused && rejected.TooLarge
}
