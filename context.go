package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
)

// Context is what an orchestration does everything durable with. It belongs to
// one execution and to one scope of cancellation in it.
//
// It is deliberately not a context.Context: an orchestration must not do I/O,
// and what takes a context.Context usually does some. Give it only to
// functions of this package and to your own helpers, never to another
// goroutine, and do not keep it after the orchestration has returned.
type Context struct {
	run *engine.Context
}

// Err returns a [*CancelledError] once the scope of this context is cancelled,
// nil before.
func (c Context) Err() error { return c.engine("Err").Err() }

// engine returns the engine's side of the context. A zero Context was never
// given to an orchestration: nothing can be done with it but say so.
func (c Context) engine(call string) *engine.Context {
	if c.run == nil {
		panic(&MisuseError{Call: call, Problem: "the Context is the zero value: use the one that the orchestration was given"})
	}
	return c.run
}
