// Package memory is a queue with the semantics of SQS in the memory of one
// process: FIFO groups, deduplication, visibility timeouts, delays, redrive to
// a dead-letter queue, long polling. With a journal.Queue its messages outlive the
// process.
//
// It is deterministic: on an injected clock the same calls in the same order
// give the same messages with the same ids. Time only passes as the clock says,
// so that a simulation decides all of it.
//
// What it leaves out: the limits on messages in flight. Retention, and the 12 hours
// for which a message is in flight at most, are options.
package memory
