// Package deadletter reads the two final dead-letter queues, and redrives or deletes their messages. The command line
// and the console share it.
//
// SQS cannot list the messages of a queue. They have to be received, which hides them from other readers for a moment
// and counts as a receive. Only the first ten messages of a message group can be received; later ones follow only after
// these were deleted.
package deadletter
