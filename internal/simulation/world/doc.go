// Package world is the environment in which the simulation runs engine and host: virtual
// time, queues, a store and a timer service in memory, processes that use them and die, and
// clients.
//
// Each call of a process crosses a boundary (boundary_*.go). There the world decides, by
// the run's choices, whether the call is made, when it takes effect, and whether the
// process lives to receive the answer. The world records events in a ledger and passes them
// to the watchers of the run, which are the checks.
package world
