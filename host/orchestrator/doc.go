// Package orchestrator makes turns of the messages of orchestrations.
//
// One batch of messages goes through Orchestrator.Handle: the messages are
// grouped by instance, and each group is one turn:
//
//	read → replay → commit → dispatch → acknowledge
//
// The commit is one conditional write, of which one wins; a turn that loses it dispatches
// nothing, and is made again. A message is acknowledged only after its turn has been
// dispatched. So after a crash at any point SQS delivers it again. If its fact is not in
// the history, the turn is made; if it is, what is still open of the turn that recorded it
// is sent again (redispatch.go). docs/design.md has the protocol
// in ten sentences, the words (turn, open, mark, …) and a table of crashes.
package orchestrator
