// Package turnstile is the API for writing durable orchestrations; package client
// starts and inspects them. An orchestration is a plain Go function that survives
// crashes, deployments and months of waiting. The engine records in a history what
// the function does. Whenever an event arrives, the engine runs the function again
// against that history, to the place where it stood, and then on.
//
// # The ten names
//
// [NewActivity], [NewOrchestration] and [NewEvent] declare a name with its types.
// Implement joins a declaration to its code, and [NewApp] joins the implementations.
// Call runs an activity or a child and waits for it; Start returns a [Future].
// [Sleep] waits for a time, [Event.Wait] for an event from outside, [Select] for the
// first of several operations. [Map] goes over a slice with a limit.
//
//	var (
//		Charge = turnstile.NewActivity[Order, Receipt]("Charge").
//			With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}))
//		Fulfil   = turnstile.NewOrchestration[Order, Result]("Fulfil")
//		Approved = turnstile.NewEvent[Approval]("approved")
//	)
//
//	func fulfil(ctx turnstile.Context, o Order) (Result, error) {
//		receipt, err := Charge.Call(ctx, o) // schedule and wait
//		...
//		approval, err := Approved.WaitTimeout(ctx, 72*time.Hour)
//		...
//		ship, timeout := Ship.Start(ctx, o), turnstile.After(ctx, time.Hour)
//		first, err := turnstile.Select(ctx, ship, timeout) // the earliest; losers cancelled
//		...
//	}
//
// The process that runs orchestrations does not link the code of the activities:
//
//	app := turnstile.NewApp(Fulfil.Implement(fulfil))         // the orchestrator's main
//	app := turnstile.NewApp(Charge.Implement(payments.charge)) // the worker's main
//
// Package awslambda runs an [App] on AWS Lambda, package embedded in one process.
// Package client starts instances, raises events for them, and waits:
//
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	err = client.Raise(ctx, c, Approved, run.Instance, Approval{By: "Grace"})
//	result, err := run.Wait(ctx)
//
// Package embedded has an example that runs, and so have the files named
// example_*_test.go here.
//
// # How to
//
//   - Retry: give an activity or an orchestration [Retry] with a [RetryPolicy]. Of
//     errors that a retry does not help, mark one with [NonRetryable], give the kinds to
//     [NonRetryableErrors] or [NonRetryableErrorType], or list their codes ([WithCode])
//     in RetryPolicy.NonRetryableCodes.
//   - Wait for a person: [Event.Wait] or [Event.WaitTimeout]; the person's program
//     calls client.Raise. Or return [ErrPending] from an activity, and let the program
//     call client.Complete with the activity's completion token.
//   - Cancel: client.Client.Cancel cancels an instance, [Future.Cancel] one operation,
//     [WithCancel] and [WithTimeout] what was started with their context. Clean up in
//     a [WithoutCancel]; undo with a [Saga].
//   - Test in virtual time: package turnstiletest; a wait of thirty days takes no time.
//   - Plug in a logger: embedded.WithLogger, awslambda.WithLogger or
//     turnstiletest.WithLogger takes a *slog.Logger. Orchestrations write to it by
//     [Logger], which is silent during replay.
//   - Change code while instances run: [Patched] for a small change, [Version] for a
//     large one.
//
// # Determinism
//
// The function runs again and again, so it must do the same every time. In its code,
// and in the code that it calls:
//
//   - no I/O, no time.Now, no random numbers, no environment: activities do
//     I/O, and [Now], [UUID], [Random] and [SideEffect] give values that are recorded
//   - no goroutines, channels, locks or sleeps: start several operations, or
//     several branches with [Go], and await, [Select] or [Join] them; [Sleep],
//     [SleepUntil], [After] and [At] are the timers
//   - no ranging over a map where the order reaches one of the calls above
//   - no package-level variables that change
//
// The types help: [Context] is not a context.Context, so an orchestration cannot hand
// its own to an HTTP client. Activities get no Context, so they cannot make durable
// calls.
//
// If an orchestration does not do what its history says, the engine stops it with a
// nondeterminism error before it does harm. The error names the event, the history,
// the code's call, and its place. The instance is stuck, not dead: it goes on after
// code that agrees is deployed. New versions of an orchestration run beside the old
// ones ([Version]), and each instance stays on its own.
//
// Deferred functions of an orchestration run at the end of each turn too, not
// only at its end. Durable calls in them return [ErrUnwinding] then and record
// nothing. Clean up after an error, not in a defer.
//
// # Errors
//
// Errors are values, and say what failed:
//
//	receipt, err := Charge.Call(ctx, order)
//	if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok {
//		// failed.Activity, .Kind, .Code, .Attempt, .Message, .Retryable
//	}
//
// An activity's [RetryPolicy] retries its errors; [NonRetryable] marks an error that a
// retry does not help, [WithCode] attaches a code. After the last attempt the
// orchestration gets an [*ActivityError], from a child a [*ChildError]. Test for
// [ErrCancelled], [ErrTimeout] and [ErrTerminated] with errors.Is, whatever the type.
// An orchestration that returns an error has failed. If the instance was cancelled and
// the error is an ErrCancelled, its status is cancelled. Its callers get a [*ChildError]
// or a *client.OrchestrationError.
//
// A panic does not fail the instance: the instance is stuck until fixed code is
// deployed. A call that is a mistake whatever the data, such as [Now] inside a side
// effect or a call on the zero value of a declaration, panics with a [*MisuseError].
//
// # Where to look
//
//   - Activities: [Activity.Call], [Activity.Start], [Activity.Inline] and
//     [CommitEvery], [Retry], [AttemptTimeout], [NonRetryable], [WithCode], [ActivityInfo]
//   - Waiting: [Future.Await], [Select], [Any], [Join], [JoinMixed], [Settle],
//     [AsCompleted], [Sleep], [SleepUntil], [After], [At], [Poll]
//   - Side by side: [Go], [Map], [MapSettled], [ForEach], [Mutex], [Semaphore], [WaitGroup]
//   - Events: [Event.Wait], [Event.WaitTimeout], [Event.TryWait], [Event.All],
//     [Event.Next]
//   - Other orchestrations: [Orchestration.Call], [Orchestration.Start],
//     [Orchestration.StartDetached], [Orchestration.ContinueAsNew]; other instances:
//     [Event.RaiseTo], [CancelInstance], [TerminateInstance]
//   - Cancelling: [WithCancel], [WithTimeout], [WithoutCancel], [Future.Cancel]
//   - Undoing: [Saga], [Undo]
//   - Changing: [Version], [Patched]
//   - Around all of it: [Interceptor], [WithHeaders], [AfterCommit]
//   - Recorded once: [Now], [UUID], [Random], [SideEffect], [Annotate]
//   - Shown: [SetCustomStatus], [SetSearchAttributes], [Logger]; [Info]
//   - From outside: package [github.com/turnstile-go/turnstile/client]
//
// Values travel as JSON by encoding/json and may have 256 KiB ([MaxPayload]).
package turnstile
