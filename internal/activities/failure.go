package activities

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// FailureOf returns how an attempt's error is to be recorded: as its marks say, and
// otherwise as an application failure with its text that may be retried.
func FailureOf(err error) *history.Failure {
	m := marks.Of(err)
	if m.Failure != nil {
		return m.Failure
	}
	return &history.Failure{Kind: history.FailureApplication, Message: err.Error(), Code: m.Code, Details: m.Details, Retryable: !m.Final}
}
