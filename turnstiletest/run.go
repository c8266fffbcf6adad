package turnstiletest

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// Run is an instance in an environment, with the type of its output.
type Run[Out any] struct {
	// Instance is the instance id.
	Instance string

	env *Env
	// run returns a new client.Run for each use, because Deploy changes the client.
	run func() *client.Run[Out]
}

// Start starts an instance. It runs during the next Wait, Run, Advance or RunUntil. Without
// client.WithInstanceID its id is a number.
func Start[In, Out any](env *Env, o turnstile.Orchestration[In, Out], in In, options ...client.StartOption) *Run[Out] {
	env.t.Helper()
	run, err := client.Start(context.Background(), env.client, o, in, options...)
	if err != nil {
		env.t.Fatalf("turnstiletest: Start: %v", err)
	}
	return Instance(env, o, run.Instance)
}

// Instance returns an instance that an orchestration has started, as a child or detached, with the
// type of the orchestration's output.
func Instance[In, Out any](env *Env, o turnstile.Orchestration[In, Out], id string) *Run[Out] {
	return &Run[Out]{Instance: id, env: env, run: func() *client.Run[Out] { return client.Attach(env.client, o, id) }}
}

// Raise raises an event for an instance. The event arrives during the next Wait, Run, Advance or
// RunUntil, or, if Raise is called in a function given to After, at that time.
func Raise[D any](env *Env, event turnstile.Event[D], instance string, data D, options ...client.RaiseOption) {
	env.t.Helper()
	if err := client.Raise(context.Background(), env.client, event, instance, data, options...); err != nil {
		env.t.Fatalf("turnstiletest: Raise: %v", err)
	}
}

// Wait lets the application work until the instance has ended, and returns its output or its error:
// a [*client.OrchestrationError] if it failed, was cancelled or terminated. Work of other instances
// may be unfinished; [Env.Run] finishes it.
//
// The test fails if the instance is stuck or can never end, or if its code does not request the
// same operations on replay (see [KeepWarm]). The message has the history and the problem.
func (r *Run[Out]) Wait() (Out, error) {
	r.env.t.Helper()
	e := r.env
	how := e.drive("Wait", time.Time{}, func() bool {
		record, err := e.store.Describe(context.Background(), r.Instance)
		if err == nil && record.Purged && !record.Free(e.Now()) {
			e.t.Fatalf("turnstiletest: Wait: instance %q was purged; its id can be used again at %s", r.Instance, record.FreeAt.Format(time.RFC3339))
		}
		return err == nil && record.Status.Terminal()
	})
	if how != done {
		e.never("Wait", r.Instance, "never ends")
	}
	e.replayEnded("Wait", r.Instance)
	return r.run().Wait(context.Background())
}

// Describe returns the description of the instance; the zero Description if there is no record of
// it.
func (r *Run[Out]) Describe() client.Description {
	r.env.t.Helper()
	d, err := r.run().Describe(context.Background())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		r.env.t.Fatalf("turnstiletest: Describe: %v", err)
	}
	return d
}

// Cancel asks the instance to stop.
func (r *Run[Out]) Cancel(reason string) {
	r.env.t.Helper()
	r.asked("Cancel", r.run().Cancel(context.Background(), reason))
}

// Terminate ends the instance without running its code.
func (r *Run[Out]) Terminate(reason string) {
	r.env.t.Helper()
	r.asked("Terminate", r.run().Terminate(context.Background(), reason))
}

// asked fails the test if a request had no effect. An instance that has not started receives the
// request in its first turn.
func (r *Run[Out]) asked(call string, err error) {
	r.env.t.Helper()
	if err != nil && !errors.Is(err, client.ErrNoRecord) {
		r.env.t.Fatalf("turnstiletest: %s: %v", call, err)
	}
}

// clientClock is the clock of the environment's client. The client uses it only to wait before it
// checks an instance again.
type clientClock struct{ env *Env }

// Now returns the virtual time.
func (c clientClock) Now() time.Time { return c.env.Now() }

// AfterFunc does one step of work instead of waiting. Inside an activity it waits for virtual time,
// because nothing else can run until the activity returns.
func (c clientClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	e := c.env
	if e.driving || e.closed {
		return e.clock.AfterFunc(d, f)
	}
	tried := false
	how := e.drive("Wait by a client", time.Time{}, func() bool {
		before := tried
		tried = true
		return before
	})
	if how != done {
		e.t.Fatalf("turnstiletest: Wait by a client: nothing is left to do\n%s", e.overview())
	}
	f()
	return func() bool { return false }
}
