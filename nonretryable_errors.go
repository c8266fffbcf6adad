package turnstile

import (
	"errors"

	"github.com/turnstile-go/turnstile/internal/activities"
)

// ImplementationOption is an option of [Activity.Implement]: a setting of the process that runs the
// activity.
type ImplementationOption interface {
	applyToImplementation(*activities.Activity)
}

// NonRetryableErrors excludes errors from retries: no attempt follows an error that matches one of
// the targets with errors.Is, whatever the retry policy says.
//
//	Charge.Implement(charge, turnstile.NonRetryableErrors(ErrCardDeclined))
//
// [NonRetryable] marks a single error where it is returned; RetryPolicy.NonRetryableCodes lists
// codes.
func NonRetryableErrors(targets ...error) ImplementationOption {
	return finalIf(func(err error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	})
}

// NonRetryableErrorType excludes a type of errors from retries: no attempt follows an error that
// errors.As finds to be of this type, whatever the retry policy says.
//
//	Charge.Implement(charge, turnstile.NonRetryableErrorType[*ValidationError]())
func NonRetryableErrorType[E error]() ImplementationOption {
	return finalIf(func(err error) bool {
		_, found := errors.AsType[E](err)
		return found
	})
}

type finalIf func(error) bool

func (f finalIf) applyToImplementation(a *activities.Activity) {
	before := a.Final
	a.Final = func(err error) bool { return f(err) || before != nil && before(err) }
}
