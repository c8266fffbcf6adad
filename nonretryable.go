package turnstile

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// NonRetryable marks an error as final: whatever the retry policy says, the activity or the child
// that returns it gets no other attempt. A child that returns the error of an activity is retried,
// unless the policy lists its code. NonRetryable(nil) is nil.
//
// A mark applies wherever it is in the tree of a returned error, including inside errors.Join and
// several %w. The returned error is final if any error in the tree is. If there are several codes,
// the first in the order of errors.As is used; if several delays are joined, the longest is used. A
// mark around an error overrides the same mark inside it.
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

// RetryAfter makes the next attempt of the activity start after d instead of the retry policy's
// delay, if the policy has an attempt left. Use it for a service that says when to try again. In a
// tree of errors it applies as described at [NonRetryable]. RetryAfter(nil, d) is nil.
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

// WithCode attaches a code, a word that programs can check, to an error. ActivityError.Code,
// ChildError.Code and OrchestrationError.Code contain it, and RetryPolicy.NonRetryableCodes may
// list it. In a tree of errors it applies as described at [NonRetryable]. WithCode(nil, code) is
// nil.
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

// ErrorCode returns the first code in the tree of an error; empty if there is none. For the error
// of a side effect it is the code of the error that its function returned. For the failure of an
// orchestration, which a client's Wait returns, it is the code of the error that the orchestration
// returned.
func ErrorCode(err error) string {
	return marks.Code(err)
}
