// Package around runs an interceptor around what it intercepts.
package around

import "context"

// Mistakes are what panics with, in the name of an interceptor.
type Mistakes struct {
	// Panicked returns the value to panic with instead of the one that the
	// interceptor's own code has panicked with.
	Panicked func(value any) any
	// WithoutNext returns the value for an interceptor that neither called next nor
	// returned an error.
	WithoutNext func() any
}

// Run runs own, whose next is inner, and returns its error. A panic of inner
// passes through as it is; so does runtime.Goexit.
func Run(ctx context.Context, m Mistakes, own func(ctx context.Context, next func(context.Context) error) error, inner func(context.Context) error) error {
	called, outside := false, true
	err := func() error {
		defer func() {
			// Recovered only where the panic is the interceptor's own, whose frames
			// stay on the stack below the second panic.
			if !outside {
				return
			}
			if v := recover(); v != nil {
				panic(m.Panicked(v))
			}
		}()
		return own(ctx, func(ctx context.Context) error {
			called, outside = true, false
			err := inner(ctx)
			outside = true
			return err
		})
	}()
	if err == nil && !called {
		panic(m.WithoutNext())
	}
	return err
}
