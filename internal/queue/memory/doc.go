// Package memory is a queue with the semantics of SQS in the memory of one process: FIFO groups,
// deduplication, visibility timeouts, delays, redrive to a dead-letter queue, long polling. With a
// journal.Queue its messages survive the process.
//
// It is deterministic: with an injected clock, the same calls in the same order return the same
// messages with the same ids. Time passes only on that clock, so a simulation controls all of it.
//
// It does not implement the limits on messages in flight. Retention, and the limit of 12 hours for a
// message in flight, are options.
package memory
