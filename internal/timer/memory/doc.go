// Package memory is a timer in the memory of one process, on an injected
// clock. What is due is delivered in the order of due times, and of creation
// where these are equal, by one goroutine at a time: on a virtual clock it is
// deterministic. With a journal.Timer its schedules outlive the process.
package memory
