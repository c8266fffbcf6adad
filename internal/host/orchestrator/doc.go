// Package orchestrator turns the messages of orchestrations into turns.
//
// One batch of messages goes through Orchestrator.Handle: the messages are grouped by instance, and
// each group is one turn:
//
//	load → decide → carry out → decide → carry out → …
//
// The turn loads the state of the instance (load.go). Package deciding, which has all rules of the
// protocol and calls no service, decides what to do next: a plan. The turn carries it out
// (carry.go) and decides again, based on the results (attempt.go). A plan that commits makes one
// conditional write; of several competing writes, one succeeds. A turn that loses dispatches
// nothing, and is loaded and decided again (group.go). A message is acknowledged only after its
// turn has been dispatched, so after a crash at any point SQS redelivers it. If the history does
// not have the message's event, the turn is made; if it does, the open operations of the turn that
// recorded the event are sent again. docs/internal/protocol.md describes the protocol in ten
// sentences, and shows for each rule what would go wrong without it; docs/design.md defines the
// words (turn, open, problem, …).
package orchestrator
