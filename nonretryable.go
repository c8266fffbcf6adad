package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// NonRetryable marks an error as final: whatever the retry policy says, no other
// attempt is made of the activity, or of the child, whose own error it is. A child that returns
// the error of an activity is retried, unless the policy names its code. Nil stays nil.
//
// Marks count wherever they are in the tree of a returned error, behind errors.Join or
// several %w too. An error is final if one error in the tree is. Of several codes the
// first in the order of errors.As counts, and of several delays that are joined the
// longest. A mark around an error overrides the same mark inside it.
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
// says when to come back. In a tree of errors it counts as [NonRetryable] says. Nil
// stays nil.
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
// RetryPolicy.NonRetryableCodes may name it. In a tree of errors it counts as
// [NonRetryable] says. Nil stays nil.
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

// ErrorCode returns the first code that the error, or one in its tree, was given;
// empty if none. That of a side effect's error is the code of the error that its
// function returned. That of an orchestration that failed, which a client's Wait
// returns, is the code of the error that the orchestration returned.
func ErrorCode(err error) string {
	return marks.Code(err)
}
