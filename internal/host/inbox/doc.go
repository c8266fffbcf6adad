// Package inbox is where messages come in and where they end. The [Door] parses a
// batch, moves to a dead-letter queue what nobody can use, and lets in what turns are
// made of; after it a [Message] stands for one delivery until the [Desk] settles it:
// acknowledged, moved, sent round, or handed back. It knows no instance, no history and
// no code.
package inbox
