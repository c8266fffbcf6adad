// Package client starts orchestrations from outside, raises events for them, waits
// for them, looks at them and controls them: from a service, a command line, a
// test. Package turnstile declares what it starts; orchestrations
// themselves do not need it.
//
//	c, err := awslambda.NewClient(ctx) // of a deployed stack; or New, or Client of package embedded
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	err = client.Raise(ctx, c, Approved, run.Instance, Approval{By: "Grace"})
//	result, err := run.Wait(ctx)
//
// # Typed and untyped
//
// The functions [Start], [Attach], [Raise], [WithEvent] and [Complete] take a
// declaration, and so know the types of input, output and data. The methods of
// [Client] of the same names take names and JSON: for a gateway, a command line,
// or a program that has no declaration.
//
// # When a call has returned
//
// Calls that change something return when their message is queued, not when it
// has taken effect: [Run.WaitStarted] waits until an instance has its record,
// [Run.Wait] and [Client.Wait] until it has ended. Ids make repeats harmless: a
// start or an event with the same [WithDeduplicationID].
//
// # Errors
//
// An instance that failed is an [*OrchestrationError]; errors.Is tells
// [turnstile.ErrCancelled], [turnstile.ErrTerminated] and [turnstile.ErrTimeout].
// [ErrNotFound], [*AlreadyExistsError], [*PurgedError], [*EndedError] and [*StillRunningError] say
// what a call found in place of what it needed, and [*WaitError] how an instance
// stood when the context of the wait ended. A stuck instance has not ended:
// Description.Problem says what keeps it.
//
// # Where to look
//
//   - Starting: [Start] with [WithInstanceID], [WithVersion], [WithDeduplicationID], [UseExisting],
//     [WithSearchAttributes], [WithHeaders], [WithEvent]; [Client.Start]
//   - Speaking to it: [Raise] with [WithDeduplicationID] and [CheckRunning]; [Client.Cancel], [Client.Terminate],
//     [Client.Wake], [Client.Purge]
//   - Waiting: [Run.Wait], [Attach], [Client.Wait]
//   - Looking: [Client.Describe], [CustomStatusOf], [Client.WaitingFor],
//     [Client.History], [Client.List] with [ParseWhere]
//   - Pending activities, by their token: [Complete], [Client.Complete],
//     [Client.Fail], [Client.Heartbeat]
//   - On whose behalf: [Client.WithActor]; around each call: [Client.WithInterceptors]
package client
