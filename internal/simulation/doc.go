// Package simulation runs the real engine and host in a world of virtual time in which one seed
// decides everything: the programs, which process runs next, and the fault of each call that leaves
// a process. Processes crash before and after a call takes effect, answers are lost, writes land
// late, messages are delivered twice, late, out of order and to two processes at once, timers fire
// early, late and twice, clocks differ, and code that does not work is deployed and later fixed.
//
// The invariants must hold in every run; the code that checks them shares nothing with the engine.
// When the faults have stopped, everything that can finish has to finish, with an outcome that a
// fault-free run could have had. A run that breaks an invariant names its seed, and running that
// seed again repeats the run exactly.
//
// It consists of these packages, each of which imports only those above it:
//
//	choice    the decisions of a seed, or of a list of recorded decisions
//	fault     the faults, by name
//	program   random orchestrations, and the outcomes that each may have
//	ledger    what has landed in the store, and the calls to other services
//	world     queues, store, timer, processes, the faults, and which process runs next
//	check     the invariants: it watches a world
//	scenario  the users of the world: random programs and their clients, or a sample application
//
// This package combines them: Run makes the run of a seed. Package search makes many runs, shrinks
// failing ones, and makes every run of small scopes.
package simulation
