// Package turnstiletest tests orchestrations. It runs the real engine and host with stores, queues
// and timers in memory, in virtual time, so that a wait of thirty days takes no time.
//
//	env := turnstiletest.New(t, turnstile.NewApp(Fulfil.Implement(fulfil)))
//	turnstiletest.On(env, Charge).Return(Receipt{ID: "r-1"}, nil)
//	run := turnstiletest.Start(env, Fulfil, order)
//	env.After(48*time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, Approval{By: "Grace"}) })
//	result, err := run.Wait()
//	run.AssertHistory("Started Act(Charge) Done←2 Sub(approved) Ev(approved) Completed")
//
// # The ten names
//
// [New] makes an environment for an application. [On] mocks an activity: Return sets its result, Do
// sets a function to run instead. [Start] starts an instance, and [Run.Wait] returns its result.
// [Raise] raises an event. [Env.After] calls a function later in virtual time, and [Env.Advance]
// lets time pass. [Run.AssertHistory] checks what the instance did. [CrashTest] crashes the process
// at each call, and [Replay] runs exported histories against the current code. The package example
// is such a test.
//
// # Time and order
//
// The application works only during Wait, Run, Advance and RunUntil, on the goroutine that calls
// them. It handles one message after another, always in the same order. [WithRandomOrder] sets
// another order, which is the same for the same seed. Virtual time does not pass while the
// application works, and jumps to the next timer when there is nothing left to do.
//
// # Checks
//
// Each turn replays the stored history, and a finished instance is replayed once more, so tests
// detect code that is not deterministic. With [KeepWarm] instances stay in memory instead.
//
// An activity needs an implementation in the application or a mock ([On]); otherwise the test
// fails. Activities run in real time while virtual time stands still; [Sleep], and [Mock.After],
// let virtual time pass.
//
// A mistake in the test or the code fails the test at the line of the call, with an explanation: a
// stuck instance, a wait that never ends, an activity without an implementation or a mock. An
// orchestration that fails is not a mistake: Wait returns its error.
//
// [CrashTest] runs a scenario many times, with a crash at each call that leaves a process.
// [CrashBefore] and [CrashAfter] crash once, at a call of your choice. [WithProcesses] and
// [WithBatchSize] control which process handles which messages together. [Replay] runs exported
// histories against the current code.
package turnstiletest
