package activities

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// FailureOf returns the failure that is recorded for an attempt's error: what the error itself specifies, and otherwise
// a retryable application failure with its text.
func FailureOf(err error) *history.Failure {
	m := marks.Of(err)
	if m.Failure != nil {
		return m.Failure
	}
	return &history.Failure{Kind: history.FailureApplication, Message: err.Error(), Code: m.Code, Details: m.Details, Retryable: !m.Final}
}
