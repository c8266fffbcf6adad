// Package embedded runs an application in one process with everything that Turnstile needs: the
// engine and the host as they run on Lambda, with stores, queues and timers in memory. Use it for
// experiments, tests and samples, and for services on one machine. Without a database
// ([WithDatabase]) nothing outlives the process.
//
//	env, err := embedded.New(app)
//	...
//	go env.Run(ctx)
//	run, err := client.Start(ctx, env.Client(), Fulfil, order)
//	result, err := run.Wait(ctx)
//
// Time is real by default. With [WithVirtualTime], time does not pass while anything runs, and
// jumps to the next timer when nothing does, so that a wait of thirty days takes no time.
//
// # The names that most programs need
//
//   - [New] and [Runtime.Run] run the application; [Runtime.Client] starts instances and waits
//     for them.
//   - [WithConsole] serves the console, and [WithLiveTrace] writes a trace to a terminal.
//   - [WithDatabase] keeps all state when the process ends; package sqlite has a database.
//   - [WithLogger], [WithSettings], [WithObserver] and [WithCodecs] mean the same as in package
//     awslambda.
//   - [WithWorkers] and [WithQueue] set how many activities run at a time.
package embedded
