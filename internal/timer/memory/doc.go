// Package memory is a timer in the memory of one process, on an injected clock.
// Schedules are delivered in the order of due times, and of creation if these are
// equal, by one goroutine at a time, so on a virtual clock it is deterministic. With a
// journal.Timer its schedules survive the process.
package memory
