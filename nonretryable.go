package turnstile

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// NonRetryable marks an error as final: whatever the retry policy says, no other
// attempt is made of the activity, or of the child, whose own error it is. A child that returns
// the error of an activity is retried, unless the policy names its code. Nil stays nil.
func NonRetryable(err error) error {
	if err == nil {
		return nil
	}
	return &nonRetryableError{err}
}

type nonRetryableError struct{ err error }

func (e *nonRetryableError) Error() string { return e.err.Error() }
func (e *nonRetryableError) Unwrap() error { return e.err }

func (e *nonRetryableError) Failure() *history.Failure {
	f := activities.FailureOf(e.err)
	f.Retryable = false
	return f
}

// RetryAfter has the next attempt of the activity made after d, in place of the
// retry policy's delay, if the policy has an attempt left: for a service that
// says when to come back. Nil stays nil.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &delayedError{err, d}
}

type delayedError struct {
	err   error
	after time.Duration
}

func (e *delayedError) Error() string             { return e.err.Error() }
func (e *delayedError) Unwrap() error             { return e.err }
func (e *delayedError) RetryDelay() time.Duration { return e.after }
func (e *delayedError) Failure() *history.Failure { return activities.FailureOf(e.err) }

// WithCode gives an error a code, a word to act on: ActivityError.Code,
// ChildError.Code and OrchestrationError.Code have it, and
// RetryPolicy.NonRetryableCodes may name it. Nil stays nil.
func WithCode(err error, code string) error {
	if err == nil {
		return nil
	}
	return &codedError{err, code}
}

type codedError struct {
	err  error
	code string
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

func (e *codedError) Failure() *history.Failure {
	f := activities.FailureOf(e.err)
	f.Code = e.code
	return f
}

// ErrorCode returns the code that the error, or one that it wraps, was given;
// empty if none. That of an orchestration that failed, which a client's Wait
// returns, is the code of the error that the orchestration returned.
func ErrorCode(err error) string {
	if f, ok := errors.AsType[activities.Failer](err); ok {
		if code := f.Failure().Code; code != "" {
			return code
		}
	}
	if coded, ok := errors.AsType[interface {
		error
		FailureCode() string
	}](err); ok {
		return coded.FailureCode()
	}
	return ""
}
