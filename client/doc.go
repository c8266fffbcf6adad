// Package client starts orchestrations and controls their instances from a service, a command line or a
// test. A program that only runs orchestrations and activities does not need it.
//
//	c, err := awslambda.NewClient(ctx) // of a deployed stack; embedded.Runtime has its own
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	err = client.Raise(ctx, c, Approved, run.Instance, Approval{By: "Grace"})
//	result, err := run.Wait(ctx)
//
// # Most used
//
//   - [Start] starts an instance; [WithInstanceID] chooses its id. [StartAfter] and [StartAt] delay it.
//     [UseExisting] and [AllowRestart] decide what happens if the id is in use.
//   - [Raise] sends an event to an instance. [Complete] completes a pending activity by its token.
//   - [Run.Wait] waits for the output. [Attach] returns the Run of an instance that was started
//     earlier.
//   - [Client.Describe] returns the state of an instance, [Client.PendingOperations] what it waits for,
//     [Client.List] the instances that match a query.
//   - [Client.Cancel], [Client.Terminate], [Client.Suspend] and [Client.Resume] control a running
//     instance.
//   - [Client.FireTimer] fires a timer before it is due. [Client.RetryNow] retries an activity without
//     waiting for its retry delay.
//   - [Client.Redrive] continues an ended instance from where it failed. [Client.Restart] restarts it
//     from the beginning.
//   - [Client.Purge] deletes an ended instance, and with [WithChildren] its children.
//
// # Typed and untyped
//
// The functions Start, Attach, Raise, [WithEvent] and Complete take a declaration, so the compiler
// checks the types of input, output and data. The methods of [Client] with the same names take names
// and JSON, for programs that have no declaration.
//
// # When a call returns
//
// A call that changes something returns when its message is queued; its effect comes later.
// [Run.WaitStarted] waits until the instance has a record; Run.Wait and [Client.Wait] wait until it has
// ended. To make it safe to repeat a start or an event, give each attempt the same
// [WithDeduplicationID].
//
// # Errors
//
// [*OrchestrationError] describes how an instance failed; errors.Is finds [turnstile.ErrCancelled],
// [turnstile.ErrTerminated] and [turnstile.ErrTimeout] in it. A call that the state of the instance
// does not allow returns [ErrNotFound], [*AlreadyExistsError], [*PurgedError], [*EndedError] or
// [*StillRunningError]. If the context of a wait ends, [*WaitError] has the last known state of the
// instance. A stuck instance has not ended, so a wait for it continues. The Problem field of its
// [Description] describes what is wrong.
package client
