// Package turnstiletest tests orchestrations: the real engine and host on
// stores, queues and timers in memory, in virtual time, so that a wait of
// thirty days takes no time.
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
// [New] makes an environment for an application. [On] mocks an activity: Return gives
// its result, Do runs a function in its place. [Start] starts an instance; Wait of its
// [Run] returns the result. [Raise] raises an event. [Env.After] calls a function later
// in virtual time, [Env.Advance] lets time pass. AssertHistory checks what the instance
// did. [CrashTest] crashes the process at each call, and [Replay] runs exported
// histories against the current code. The package example runs such a test.
//
// # Time and order
//
// Nothing moves by itself. Wait, Run, Advance and RunUntil let the application
// work, on the goroutine that calls them, one message after the other, always
// in the same order; [WithRandomOrder] gives another order, the same for the same seed.
// Time stands still while anything works, and jumps to the next timer when
// nothing does.
//
// # Checks
//
// Each turn is replayed from what is stored, and what has ended once more, so
// that code which is not deterministic fails; [KeepWarm] keeps instances in memory.
//
// Activities are what the application implements, or mocks (On). One that is
// neither fails the test. Activities run in real time while virtual time stands
// still; [Sleep], and the After of a mock, let virtual time pass.
//
// A mistake in the test or the code fails the test at its place, with its text: a
// stuck instance, a wait that never ends, an activity without an implementation or
// a mock. An orchestration that fails is not a mistake: Wait returns its error.
//
// [CrashTest] runs a scenario again and again, with a crash at each call that leaves
// a process; [CrashBefore] and [CrashAfter] make one crash, at a call of your choice;
// [WithProcesses] and [WithBatchSize] say who handles what together. [Replay] runs histories that
// were exported against the current code.
package turnstiletest
