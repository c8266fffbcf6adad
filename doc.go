// Package turnstile is what the authors of durable orchestrations use; what
// starts and looks at them is package client. An orchestration is a plain Go function whose progress
// survives crashes, deployments and waits of months: what it does is recorded
// in a history, and whenever something happens the function is run again
// against that history to where it stood, and then on.
//
// # Determinism
//
// Because it is run again and again, an orchestration must do the same every
// time. In its code, and in what it calls:
//
//   - no I/O, no time.Now, no random numbers, no environment: activities do
//     I/O, and [Now], [UUID] and [SideEffect] give values that are recorded
//   - no goroutines, channels, locks or sleeps: start several operations, or
//     several branches with [Go], and await, [Select] or [Join] them; [Sleep],
//     [SleepUntil], [After] and [At] are the timers
//   - no ranging over a map where the order reaches one of the calls above
//   - no package-level variables that change
//
// The types help: [Context] is not a context.Context, so that an orchestration
// cannot hand its own to an HTTP client, and activities get no Context, so that
// they cannot make durable calls.
//
// An orchestration that does not do what its history says is stopped with a
// nondeterminism error before it does harm: it names the event, what history
// has, what the code did, and where. The instance is stuck, not dead: it goes
// on as soon as code that agrees is deployed. New versions of an orchestration
// stand beside the old ones ([Version]), and each instance stays on its own.
//
// Deferred functions of an orchestration run at the end of each turn too, not
// only at its end: then durable calls in them return [ErrUnwinding] and record
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
// An activity's error is retried by its [RetryPolicy]; [NonRetryable] says that
// it makes no sense to, [WithCode] gives it a word to act on. After the last attempt
// the orchestration gets an [*ActivityError], from a sub-orchestration a
// [*ChildError]. errors.Is tells [ErrCancelled], [ErrTimeout] and
// [ErrTerminated], whatever the type. An error that an orchestration returns ends it as failed
// (with ErrCancelled, as cancelled, if the instance itself was cancelled), and
// whoever waits gets it as a [*ChildError] or *client.OrchestrationError.
//
// A panic is no failure: it parks the instance until the code is put right.
// Calls that are mistakes whatever the data, such as one on a declaration that
// was never made, panic with a [*MisuseError].
//
// # A tour
//
// Everything is declared once, as a name and two types:
//
//	var (
//		Charge = turnstile.NewActivity[Order, Receipt]("Charge").
//			With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}))
//		Fulfil   = turnstile.NewOrchestration[Order, Result]("Fulfil")
//		Approved = turnstile.NewEvent[Approval]("approved")
//	)
//
// An orchestration calls what is declared, blocking and with plain control
// flow:
//
//	func fulfil(ctx turnstile.Context, o Order) (Result, error) {
//		receipt, err := Charge.Call(ctx, o) // schedule and wait
//		...
//		ship, timeout := Ship.Start(ctx, o), turnstile.After(ctx, time.Hour)
//		first, err := turnstile.Select(ctx, ship, timeout) // the earliest; losers cancelled
//		...
//	}
//
// Implementations are joined to their declarations where a process is put
// together; the one that runs orchestrations does not link the code of the
// activities:
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
//     [Event.RaiseTo], [CancelInstance]
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
