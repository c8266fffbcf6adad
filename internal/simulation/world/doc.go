// Package world is the world in which the simulation runs engine and host: virtual
// time, queues, a store and a timer service in memory, processes that use them and
// die, and clients.
//
// Each call that a process makes goes through a boundary (boundary_*.go). There the
// world decides, by the run's choices, whether the call is made, when it takes effect,
// and whether the process lives to hear the answer. What happens is noted in a ledger
// and told to the watchers of the run, which are the checks.
package world
