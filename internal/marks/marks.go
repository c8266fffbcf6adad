// Package marks reads what an error specifies for the history: its failure, its code, its details, whether it is final,
// and when the next attempt is due. It searches the whole tree of an error, in the order of errors.As.
package marks

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// Failer is an error that specifies the failure to record for itself and for the errors that it wraps.
type Failer interface {
	error
	Failure() *history.Failure
}

// Delayer is an error that specifies when the next attempt is due.
type Delayer interface {
	error
	// RetryDelay is how long to wait from now on, instead of the retry policy's delay.
	RetryDelay() time.Duration
}

// Marks are what the errors of a tree specify together.
type Marks struct {
	// Failure is the failure of the first Failer that the code itself has made final. If there is none, it is the
	// failure of the first Failer; nil without a Failer. Of adds the other marks to it.
	Failure *history.Failure
	// Code is the first nonempty code, Details the first details.
	Code    string
	Details []byte
	// Final is set if at least one error is final.
	Final bool
}

// Of returns the marks of an error. Its text is not one of them, and neither is whether a cancelled or terminated
// operation is retryable.
func Of(err error) Marks {
	var m Marks
	m.read(err)
	if m.Failure != nil {
		f := *m.Failure
		f.Code, f.Details = m.Code, m.Details
		f.Retryable = f.Retryable && !m.Final
		m.Failure = &f
	}
	return m
}

func (m *Marks) read(err error) {
	if failer, ok := as[Failer](err); ok {
		if f := failer.Failure(); f != nil {
			if marked := m.take(f); m.Failure == nil || marked && f.Source == "" && (m.Failure.Retryable || m.Failure.Source != "") {
				m.Failure = f
			}
			return
		}
	}
	if recorded, ok := as[interface {
		error
		RecordedFailure() *history.Failure
	}](err); ok {
		m.take(recorded.RecordedFailure())
	}
	if coded, ok := as[interface {
		error
		FailureCode() string
	}](err); ok && m.Code == "" {
		m.Code = coded.FailureCode()
	}
	for _, inner := range wrapped(err) {
		m.read(inner)
	}
}

// take merges one failure, and reports whether it is final.
func (m *Marks) take(f *history.Failure) (final bool) {
	if m.Code == "" {
		m.Code = f.Code
	}
	if m.Details == nil {
		m.Details = f.Details
	}
	final = !f.Retryable && f.Kind != history.FailureCancelled && f.Kind != history.FailureTerminated
	m.Final = m.Final || final
	return final
}

// Code returns the first nonempty code in the tree.
func Code(err error) string {
	var m Marks
	m.read(err)
	return m.Code
}

// Delay returns when the next attempt is due, and whether an error of the tree specifies that. An error that wraps
// another takes precedence over it, and of joined errors the longest delay applies.
func Delay(err error) (longest time.Duration, asks bool) {
	if d, ok := as[Delayer](err); ok {
		return max(d.RetryDelay(), 0), true
	}
	for _, inner := range wrapped(err) {
		if d, ok := Delay(inner); ok {
			longest, asks = max(longest, d), true
		}
	}
	return longest, asks
}

// as is errors.As for one error, without the errors that it wraps.
func as[T error](err error) (T, bool) {
	if found, ok := err.(T); ok {
		return found, true
	}
	var found T
	if x, ok := err.(interface{ As(any) bool }); ok && x.As(&found) {
		return found, true
	}
	return found, false
}

func wrapped(err error) []error {
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		if inner := x.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return x.Unwrap()
	}
	return nil
}
