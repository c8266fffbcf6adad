// Package inbox receives messages and settles them. The [Receiver] parses a batch, moves unusable
// messages to a dead-letter queue, and accepts those from which turns are made. From then on a
// [Message] stands for one delivery until the [Settler] settles it: acknowledged, moved, requeued,
// or returned to its queue. The package knows no instances, histories or orchestration code.
package inbox
