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
package simulation
