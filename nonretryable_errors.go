package turnstile

import (
	"errors"

	"github.com/turnstile-go/turnstile/internal/activities"
)

// ImplementationOption is an option of [Activity.Implement]: what only the side that
// runs the activity can know.
type ImplementationOption interface {
	applyToImplementation(*activities.Activity)
}

// NonRetryableErrors names errors, as errors.Is finds them, behind which no attempt
// follows whatever the retry policy says.
//
//	Charge.Implement(charge, turnstile.NonRetryableErrors(ErrCardDeclined))
//
// NonRetryable marks one where it is returned, RetryPolicy.NonRetryableCodes goes by
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

// NonRetryableErrorType names a type of errors, as errors.As finds it, behind which
// no attempt follows whatever the retry policy says.
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
