// Package embedded runs an application in one process with everything that
// Turnstile needs: the engine and the host as they run on Lambda, on stores,
// queues and timers in memory. It is for trying things out, for tests and for
// samples. Nothing outlives the process, unless it is given a database by
// [WithDatabase].
//
//	env, err := embedded.New(app)
//	...
//	go env.Run(ctx)
//	run, err := client.Start(ctx, env.Client(), Fulfil, order)
//	result, err := run.Wait(ctx)
//
// Time is real by default. With [WithVirtualTime] it stands still while anything
// runs and jumps to the next timer when nothing does, so that a wait of thirty
// days takes no time.
//
// # The names that most programs need
//
//   - [New] and [Runtime.Run] run the application; [Runtime.Client] starts instances and waits
//     for them.
//   - [WithConsole] serves the console, and [WithLiveTrace] writes what happens to a terminal.
//   - [WithDatabase] keeps everything beyond the process; package sqlite has a database.
//   - [WithLogger], [WithSettings], [WithObserver] and [WithCodecs] mean the same as in package
//     awslambda.
//   - [WithWorkers] and [WithQueue] say how many activities run at once.
package embedded
