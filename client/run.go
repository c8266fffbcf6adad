package client

import (
	"context"

	"github.com/turnstile-go/turnstile"
)

// Run is a client's handle to an instance, with the type of its output.
type Run[Out any] struct {
	// Instance id.
	Instance string
	// StartID is the start id of the start that returned this Run; empty for a Run of [Attach]. If it
	// is set, WaitStarted and Wait return an [*AlreadyExistsError] if another start created the
	// instance.
	StartID string

	// PreviousExecution is the last execution of the ended run if the start restarts an instance; see
	// [Started]. With it, Wait does not mistake the end of that execution for the end of this run.
	PreviousExecution int64

	client *Client
	name   string
}

// Attach returns a Run of the instance with that id, with which a program can wait for the typed
// output of an instance that another program started. It sends and reads nothing.
//
//	result, err := client.Attach(c, Fulfil, "order-17").Wait(ctx)
func Attach[In, Out any](c *Client, o turnstile.Orchestration[In, Out], instance string) *Run[Out] {
	return &Run[Out]{client: c, name: o.Name(), Instance: instance}
}

func (r *Run[Out]) started() Started {
	return Started{Instance: r.Instance, StartID: r.StartID, PreviousExecution: r.PreviousExecution}
}

// WaitStarted waits until the instance has a record. It returns an [*AlreadyExistsError] if another
// start was first, a [*PurgedError] if an instance with that id was purged.
func (r *Run[Out]) WaitStarted(ctx context.Context) error {
	_, err := r.client.wait(ctx, r.started(), func(*Description) bool { return true })
	return err
}

// Wait waits for the end of the instance and returns its output.
//
// Errors: [*OrchestrationError] if the instance failed or was cancelled or terminated,
// [*AlreadyExistsError], [*PurgedError], [*turnstile.DecodeError] for an output that cannot be
// decoded into Out, the error in Description.DecodeError, and [*WaitError] if the context ends
// first. A stuck instance has not ended; the [*WaitError] has the reason why it is stuck.
func (r *Run[Out]) Wait(ctx context.Context) (Out, error) {
	var zero Out
	d, err := r.client.wait(ctx, r.started(), ended)
	if err != nil {
		return zero, err
	}
	if d.Status != StatusCompleted {
		return zero, orchestrationError(d)
	}
	if d.DecodeError != nil {
		return zero, d.DecodeError
	}
	return decode[Out](d.Output, "output of orchestration", r.name)
}

// Describe returns the state of the instance; see [Client.Describe].
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
