package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/names"
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

// WithLabel returns a context with a label for people: whatever is started with it shows
// the label in timelines, lists and the history, before what it is. These are timers,
// waits, activities, children, detached orchestrations, and events and cancels that are
// sent to other instances; for a branch give it the context:
//
//	err := turnstile.Sleep(ctx.WithLabel("grace period"), 72*time.Hour)
//
//	stock := turnstile.Go(ctx.WithLabel("stock"), checkStock)
//
// Labels nest: what that branch starts with the label "shelf" has "stock / shelf". Of more
// than 200 characters in all, the outermost labels are left out. The scope of cancellation
// is the same as in ctx.
//
// A label has no effect on the code. It is not compared on replay, so that another one is
// safe for running instances; what is recorded keeps the label that it had. It is recorded
// with each operation and not sealed: keep it short, and free of secrets. It records
// nothing by itself.
//
// A label has at most 100 characters of UTF-8, on one line. WithLabel panics for another
// one, as [Now] does if it is misused. An empty label adds nothing.
func (c Context) WithLabel(label string) Context {
	run := c.engine("Context.WithLabel")
	if problem := names.Label(label); problem != "" {
		panic(&MisuseError{Call: "Context.WithLabel", Problem: problem})
	}
	return Context{run.WithLabel(label)}
}
