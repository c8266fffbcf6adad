// Package queue is the interface to message queues with the semantics of SQS:
// at-least-once delivery, visibility timeouts, FIFO groups, deduplication by
// id, dead-letter queues.
package queue
