package turnstile

import "time"

// CancelFunc cancels a scope. The reason stands in the [*CancelledError] that
// the operations of the scope return, and goes to the activities ([StoppedError])
// and children that are stopped, up to 1,024 bytes of it. Only the first call has
// an effect. The error is the same as from [Future.Cancel]: where it is called,
// nothing can be cancelled.
type CancelFunc func(reason string) error

// WithCancel returns a context with its own scope inside the scope of ctx.
// What is started with it is cancelled with it: by the [CancelFunc], or when the
// scope around it is cancelled. It records nothing.
func WithCancel(ctx Context) (Context, CancelFunc) {
	inner, cancel := ctx.engine("WithCancel").WithCancel()
	return Context{inner}, cancel
}

// WithTimeout is [WithCancel] with an end of its own: after d the scope is
// cancelled, and what was started in it returns a [*CancelledError] that is an
// [ErrTimeout] (and no [ErrCancelled]). It records one event, and one when the
// time is over; cancelling the scope removes the timer. More than [MaxTimer] is
// [MaxTimer].
//
//	scope, cancel := turnstile.WithTimeout(ctx, time.Hour)
//	receipt, err := Charge.Call(scope, order)
//	cancel("done")
func WithTimeout(ctx Context, d time.Duration) (Context, CancelFunc) {
	d = time.Duration(milliseconds(min(d, MaxTimer))) * time.Millisecond
	inner, cancel := ctx.engine("WithTimeout").WithTimeout(d)
	return Context{inner}, cancel
}

// WithoutCancel returns a context that cancellations from outside do not reach: for
// clean-up after an orchestration was cancelled. Only terminating the instance
// ends what is started with it.
//
//	if errors.Is(err, turnstile.ErrCancelled) {
//		_, err := Release.Call(turnstile.WithoutCancel(ctx), reservation)
//		...
//	}
//
// It records nothing.
func WithoutCancel(ctx Context) Context {
	return Context{ctx.engine("WithoutCancel").Shield()}
}
