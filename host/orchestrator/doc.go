// Package orchestrator makes turns of the messages of orchestrations.
//
// One batch of messages goes through Orchestrator.Handle: the messages are
// grouped by instance, and each group is one turn:
//
//	read → replay → commit → dispatch → acknowledge
//
// The commit is one conditional write, so of two that handle the same instance
// one wins; the loser dispatches nothing. A message is acknowledged only after
// its turn has been dispatched, so that a crash at any point brings it back: to
// a history that does not have its fact, and the turn is made, or to one that
// has it, and what is still open is sent again (redispatch.go).
package orchestrator
