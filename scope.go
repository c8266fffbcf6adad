package turnstile

import "time"

// CancelFunc cancels a scope. The reason is in the [*CancelledError] that the operations of the
// scope return. The activities ([StoppedError]) and children that are stopped receive it, cut to
// 1,024 bytes. Only the first call has an effect. Like [Future.Cancel], it returns an error if it
// is called where it has no effect.
type CancelFunc func(reason string) error

// WithCancel returns a context with its own scope inside the scope of ctx. The operations that are
// started with it are cancelled by the [CancelFunc], or when the outer scope is cancelled. It
// records nothing.
func WithCancel(ctx Context) (Context, CancelFunc) {
	inner, cancel := ctx.engine("WithCancel").WithCancel()
	return Context{inner}, cancel
}

// WithTimeout is [WithCancel] with a time limit: after d the scope is cancelled, and operations
// that were started in it return a [*CancelledError] that is an [ErrTimeout], not an
// [ErrCancelled]. It records one event, and a second one when the time expires. Cancelling the
// scope removes the timer. A duration above [MaxTimer] is reduced to [MaxTimer].
//
//	scope, cancel := turnstile.WithTimeout(ctx, time.Hour)
//	receipt, err := Charge.Call(scope, order)
//	cancel("done")
func WithTimeout(ctx Context, d time.Duration) (Context, CancelFunc) {
	d = time.Duration(milliseconds(min(d, MaxTimer))) * time.Millisecond
	inner, cancel := ctx.engine("WithTimeout").WithTimeout(d)
	return Context{inner}, cancel
}

// WithoutCancel returns a context that no cancellation of an outer scope reaches, for clean-up
// after an orchestration was cancelled. Only terminating the instance ends operations that are
// started with it.
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
