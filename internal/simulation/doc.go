// Package simulation runs the real engine and host in a world of virtual time
// in which one seed decides everything: what the programs are, who runs when,
// and what goes wrong at each call that leaves a process. Processes crash
// before and after a call took effect, answers are lost, writes land late,
// messages come twice, late, out of order and to two processes at once, timers
// fire early, late and twice, clocks differ, code is deployed that does not
// work, and mended.
//
// Whatever happens, the invariants must hold; they are checked by code that
// shares nothing with the engine. When the faults have stopped, everything that
// can finish has to finish, with an outcome that a run without faults could
// have had. A run that breaks one of them names its seed, and running that seed
// again repeats it exactly.
//
// It is made of these packages, each of which imports those above it alone:
//
//	choice    what a seed, or a list of recorded decisions, decides
//	fault     what may go wrong, by name
//	program   random orchestrations, and the outcomes that each may have
//	ledger    what has landed in the store, and what was asked of other services
//	world     queues, store, timer, processes, what goes wrong, and who runs next
//	check     the invariants: it watches a world
//	scenario  who uses the world: random programs and their clients, or a sample application
//
// This package puts them together: Run makes the run of a seed. Package search
// makes many runs, shrinks one that fails, and makes every run of small scopes.
package simulation
