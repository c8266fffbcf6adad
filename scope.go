package turnstile

// CancelFunc cancels a scope. The reason stands in the *CancelledError that
// the operations of the scope return. Only the first call has an effect.
type CancelFunc func(reason string)

// WithCancel returns a context with a scope of its own inside that of ctx.
// What is started with it is cancelled with it: by the CancelFunc, or when the
// scope around it is cancelled. It records nothing.
func WithCancel(ctx Context) (Context, CancelFunc) {
	inner, cancel := ctx.engine("WithCancel").WithCancel()
	return Context{inner}, cancel
}

// Shield returns a context that cancellations from outside do not reach: for
// clean-up after an orchestration was cancelled. Only terminating the instance
// ends what is started with it.
//
//	if errors.Is(err, turnstile.ErrCancelled) {
//		_, err := Release.Call(turnstile.Shield(ctx), reservation)
//		...
//	}
//
// It records nothing.
func Shield(ctx Context) Context {
	return Context{ctx.engine("Shield").Shield()}
}
