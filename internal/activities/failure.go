package activities

import (
	"errors"

	"github.com/turnstile-go/turnstile/history"
)

// Failer is an error that says itself how it is to be recorded. The host looks
// for it with errors.As.
type Failer interface {
	error
	Failure() *history.Failure
}

// FailureOf returns how an attempt's error is to be recorded: its own Failure
// if it is a Failer, otherwise an application failure with its text that may be
// retried.
func FailureOf(err error) *history.Failure {
	var f Failer
	if errors.As(err, &f) {
		if own := f.Failure(); own != nil {
			clone := *own
			return &clone
		}
	}
	return &history.Failure{Kind: history.FailureApplication, Message: err.Error(), Retryable: true}
}
