package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/names"
)

// Context gives an orchestration its durable operations. It belongs to one execution and to one
// scope of cancellation within it.
//
// It is deliberately not a context.Context: an orchestration must not do I/O, and functions that
// take a context.Context usually do. Pass it only to functions of this package and to your own
// helpers, never to another goroutine, and do not keep it after the orchestration has returned.
type Context struct {
	run *engine.Context
}

// Err returns a [*CancelledError] after the scope of this context has been cancelled, and nil
// before.
func (c Context) Err() error { return c.engine("Err").Err() }

// engine returns the engine's context. It panics with a MisuseError for the zero Context, which
// belongs to no orchestration.
func (c Context) engine(call string) *engine.Context {
	if c.run == nil {
		panic(&MisuseError{Call: call, Problem: "the Context is the zero value: use the Context that the orchestration was given"})
	}
	return c.run
}

// WithLabel returns a context with a label for people. Timelines, lists and the history show the
// label in front of the name of everything that is started with the context: timers, waits,
// activities, children, detached orchestrations, and events and cancels that are sent to other
// instances. To label a branch, pass the context to [Go]:
//
//	err := turnstile.Sleep(ctx.WithLabel("grace period"), 72*time.Hour)
//
//	stock := turnstile.Go(ctx.WithLabel("stock"), checkStock)
//
// Labels nest: an operation that this branch starts with the label "shelf" shows "stock / shelf".
// If the combined label has more than 200 characters, the outermost labels are left out. The scope
// of cancellation is the same as in ctx.
//
// A label has no effect on the code. It is not compared on replay, so changing it is safe for
// running instances; recorded operations keep the old label. The label is recorded with each
// operation and is not encrypted: keep it short, and free of secrets. WithLabel itself records
// nothing.
//
// A label has at most 100 characters of UTF-8, on one line. WithLabel panics with a [*MisuseError]
// if the label is invalid. An empty label adds nothing.
func (c Context) WithLabel(label string) Context {
	run := c.engine("Context.WithLabel")
	if problem := names.Label(label); problem != "" {
		panic(&MisuseError{Call: "Context.WithLabel", Problem: problem})
	}
	return Context{run.WithLabel(label)}
}
