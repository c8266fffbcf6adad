// Package client starts orchestrations and controls their instances, from a service, a
// command line or a test. A program of orchestrations and activities alone does not need it.
//
//	c, err := awslambda.NewClient(ctx) // of a deployed stack; embedded.Runtime has its own
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	err = client.Raise(ctx, c, Approved, run.Instance, Approval{By: "Grace"})
//	result, err := run.Wait(ctx)
//
// # Most used
//
//   - [Start] starts an instance, with [WithInstanceID] under an id of yours. [BeginAfter] and [BeginAt] delay
//     it; [UseExisting] and [BeginAgain] say what follows if the id is taken.
//   - [Raise] sends it an event; [Complete] ends a pending activity by its token.
//   - [Run.Wait] waits for its output; [Attach] returns the Run of an instance that was started earlier.
//   - [Client.Describe] tells how an instance stands, [Client.WaitingFor] what it waits for,
//     [Client.List] finds instances.
//   - [Client.Cancel], [Client.Terminate], [Client.Suspend] and [Client.Resume] control an instance that runs.
//   - [Client.FireTimer] fires a timer before it is due, [Client.RetryNow] makes an attempt that waits.
//   - [Client.Redrive] continues an ended instance from where it failed, [Client.Rerun] begins it again.
//   - [Client.Purge] deletes an ended instance, [WithChildren] its children too.
//
// # Typed and untyped
//
// The functions Start, Attach, Raise, [WithEvent] and Complete take a declaration, so
// the compiler checks the types of input, output and data. The methods of [Client] with the
// same names take names and JSON, for programs that have no declaration.
//
// # When a call has returned
//
// A call that changes something returns when its message is queued. Its effect comes later:
// [Run.WaitStarted] waits until the instance has its record, Run.Wait and [Client.Wait] until
// it has ended. To repeat a start or an event without harm, give each try the same
// [WithDeduplicationID].
//
// # Errors
//
// [*OrchestrationError] is how an instance failed; errors.Is finds [turnstile.ErrCancelled],
// [turnstile.ErrTerminated] and [turnstile.ErrTimeout] in it. [ErrNotFound],
// [*AlreadyExistsError], [*PurgedError], [*EndedError] and [*StillRunningError] say how the
// instance stood when the call needed it otherwise. [*WaitError] says how it stood when the
// context of a wait ended. A stuck instance has not ended, so waits go on: the field
// Problem of its [Description] says what is wrong.
package client
