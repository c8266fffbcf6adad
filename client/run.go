package client

import (
	"context"

	"github.com/turnstile-go/turnstile"
)

// Run is a client's handle to an instance, with the type of its output.
type Run[Out any] struct {
	// Instance id.
	Instance string
	// StartID of the start that this Run came from; empty if it came from
	// [Attach]. Where it is set, an instance that another start made is an
	// [*AlreadyExistsError] to WaitStarted and Wait.
	StartID string

	// After is that of [Started]: where the start begins an instance again, the last
	// execution of the run that has ended. Wait does not take its end for that of this run.
	After int64

	client *Client
	name   string
}

// Attach returns the instance of that id, started by whomever, for waiting with
// the right type. It sends and reads nothing.
//
//	result, err := client.Attach(c, Fulfil, "order-17").Wait(ctx)
func Attach[In, Out any](c *Client, o turnstile.Orchestration[In, Out], instance string) *Run[Out] {
	return &Run[Out]{client: c, name: o.Name(), Instance: instance}
}

func (r *Run[Out]) started() Started {
	return Started{Instance: r.Instance, StartID: r.StartID, After: r.After}
}

// WaitStarted waits until the instance has a record, and returns
// [*AlreadyExistsError] if another start was first, [*PurgedError] if an instance of
// that id was purged.
func (r *Run[Out]) WaitStarted(ctx context.Context) error {
	_, err := r.client.wait(ctx, r.started(), func(*Description) bool { return true })
	return err
}

// Wait waits for the end of the instance and returns its output.
//
// Errors: [*OrchestrationError] if it failed, was cancelled or terminated,
// [*AlreadyExistsError], [*PurgedError], [*turnstile.DecodeError] for an output that Out cannot
// take, Description.Sealed, and [*WaitError] if the context ends first. A stuck
// instance has not ended: what keeps it is in the [*WaitError].
func (r *Run[Out]) Wait(ctx context.Context) (Out, error) {
	var zero Out
	d, err := r.client.wait(ctx, r.started(), ended)
	if err != nil {
		return zero, err
	}
	if d.Status != StatusCompleted {
		return zero, orchestrationError(d)
	}
	if d.Sealed != nil {
		return zero, d.Sealed
	}
	return decode[Out](d.Output, "output of orchestration", r.name)
}

// Describe returns how the instance stands; see [Client.Describe].
func (r *Run[Out]) Describe(ctx context.Context) (Description, error) {
	return r.client.Describe(ctx, r.Instance)
}

// Cancel asks the instance to stop; see [Client.Cancel].
func (r *Run[Out]) Cancel(ctx context.Context, reason string) error {
	return r.client.Cancel(ctx, r.Instance, reason)
}

// Terminate ends the instance; see [Client.Terminate].
func (r *Run[Out]) Terminate(ctx context.Context, reason string) error {
	return r.client.Terminate(ctx, r.Instance, reason)
}
