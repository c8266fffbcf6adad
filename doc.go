// Package turnstile is the API for writing durable orchestrations; package client starts and
// inspects them. An orchestration is a plain Go function that survives crashes, deployments and
// months of waiting. The engine records what the function does in a history. When an event arrives,
// the engine runs the function again: calls that the history already answers return the recorded
// result, and the function continues from there.
//
// # The ten names
//
// [NewActivity], [NewOrchestration] and [NewEvent] declare a name with its types. Implement adds
// the code to a declaration, and [NewApp] collects the implementations. Call runs an activity or a
// child and waits for its result; Start returns a [Future]. [Sleep] waits for a duration,
// [Event.Wait] waits for an event from outside, and [Select] waits for the first of several
// operations. [Map] calls a function for each item of a slice, with bounded concurrency.
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
// Package awslambda runs an [App] on AWS Lambda; package embedded runs it in one process. Package
// client starts instances, raises events for them, and waits for their results:
//
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	err = client.Raise(ctx, c, Approved, run.Instance, Approval{By: "Grace"})
//	result, err := run.Wait(ctx)
//
// Package embedded has a runnable example. This package has more, in the files example_*_test.go.
//
// # How to
//
//   - Retry: give an activity or an orchestration [Retry] with a [RetryPolicy]. To exclude errors
//     that a retry cannot fix, mark one with [NonRetryable], give [NonRetryableErrors] or
//     [NonRetryableErrorType] to Implement, or list error codes ([WithCode]) in
//     RetryPolicy.NonRetryableCodes.
//   - Wait for a person: use [Event.Wait] or [Event.WaitTimeout]; the program that the person uses
//     calls client.Raise. Or return [ErrPending] from an activity; the program then calls
//     client.Complete with the activity's completion token.
//   - Cancel: client.Client.Cancel cancels an instance, [Future.Cancel] one operation, and the
//     CancelFunc of [WithCancel] or [WithTimeout] all operations that were started with their
//     context. Clean up with a [WithoutCancel] context; undo completed steps with a [Saga].
//   - Test in virtual time: in package turnstiletest a wait of thirty days takes no time.
//   - Plug in a logger: embedded.WithLogger, awslambda.WithLogger and turnstiletest.WithLogger take
//     a *slog.Logger. Orchestrations write to it through [Logger], which is silent during replay.
//   - Change code while instances run: [Patched] for a small change, [Version] for a
//     large one.
//
// # Determinism
//
// The function runs many times, so it must make the same calls each time. In its code, and in the
// code that it calls:
//
//   - no I/O, no time.Now, no random numbers, no environment variables: activities do I/O, and
//     [Now], [UUID], [Random] and [SideEffect] return values that are recorded
//   - no goroutines, channels, locks or sleeps: start several operations, or several branches with
//     [Go], and await, [Select] or [Join] them; [Sleep], [SleepUntil], [After] and [At] are the
//     timers
//   - no ranging over a map if the order affects one of the calls above
//   - no package-level variables that change
//
// The types help: [Context] is not a context.Context, so an orchestration cannot pass it to an HTTP
// client. Activities get no Context, so they cannot make durable calls.
//
// If an orchestration does not do what its history says, the engine stops the orchestration with a
// nondeterminism error before the difference can do harm. The error names the recorded event, the
// call that the code made instead, and the line of that call. The instance is stuck, not failed: it
// continues after code that agrees with the history is deployed. New versions of an orchestration
// run next to old ones ([Version]), and each instance stays on the version that it started with.
//
// Deferred functions of an orchestration also run at the end of each turn, not only when the
// orchestration returns. At the end of a turn, durable calls in them return [ErrUnwinding] and
// record nothing. So clean up where the error is handled, not in a defer.
//
// # Errors
//
// Errors have types that say what failed:
//
//	receipt, err := Charge.Call(ctx, order)
//	if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok {
//		// failed.Activity, .Kind, .Code, .Attempt, .Message, .Retryable
//	}
//
// An activity's [RetryPolicy] retries its errors; [NonRetryable] marks an error that a retry cannot
// fix, and [WithCode] attaches a code. After the last attempt the orchestration gets an
// [*ActivityError]; a failed child returns a [*ChildError]. Test for [ErrCancelled], [ErrTimeout]
// and [ErrTerminated] with errors.Is, whatever the type. An orchestration that returns an error has
// failed; it has the status cancelled instead if the instance was cancelled and the error is an
// ErrCancelled. The orchestration's callers get a [*ChildError] or a *client.OrchestrationError.
//
// A panic does not fail the instance: the instance is stuck until fixed code is deployed. A call
// that is wrong for any data, such as [Now] inside a side effect or a call on the zero value of a
// declaration, panics with a [*MisuseError].
//
// # Where to look
//
//   - Activities: [Activity.Call], [Activity.Start], [Activity.Inline] and
//     [CommitEvery], [Retry], [AttemptTimeout], [NonRetryable], [WithCode], [ActivityInfo]
//   - Waiting: [Future.Await], [Select], [Any], [Join], [JoinMixed], [JoinSettled],
//     [AsCompleted], [Sleep], [SleepUntil], [After], [At], [Poll]
//   - Concurrency: [Go], [Map], [MapSettled], [ForEach], [Mutex], [Semaphore], [WaitGroup]
//   - Events: [Event.Wait], [Event.WaitTimeout], [Event.TryWait], [Event.All],
//     [Event.Next]
//   - Other orchestrations: [Orchestration.Call], [Orchestration.Start],
//     [Orchestration.StartDetached], [Orchestration.ContinueAsNew]; other instances:
//     [Event.RaiseTo], [CancelInstance], [TerminateInstance]
//   - Cancellation: [WithCancel], [WithTimeout], [WithoutCancel], [Future.Cancel]
//   - Compensation: [Saga], [Undo]
//   - Changing code: [Version], [Patched]
//   - Across all calls: [Interceptor], [WithHeaders], [AfterCommit]
//   - Recorded values: [Now], [UUID], [Random], [SideEffect], [Annotate]
//   - Visible to operators: [NewState], [SetSearchAttributes], [Logger]
//   - About the instance: [Info]
//   - From outside: package [github.com/turnstile-go/turnstile/client]
//
// Values are encoded as JSON with encoding/json. A value can have at most 256 KiB ([MaxPayload]).
package turnstile
