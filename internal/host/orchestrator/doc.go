// Package orchestrator makes turns of the messages of orchestrations.
//
// One batch of messages goes through Orchestrator.Handle: the messages are
// grouped by instance, and each group is one turn:
//
//	load → decide → carry out → decide → carry out → …
//
// What is known of the instance is loaded (load.go). Package deciding, which has all rules
// of the protocol and reaches no service, says what is next: a plan. It is carried out
// (carry.go), and what came of it is decided on in turn (attempt.go). A plan that commits
// is one conditional write, of which one wins; a turn that loses it dispatches nothing, and
// is loaded and decided anew (group.go). A message is acknowledged only after its turn has
// been dispatched. So after a crash at any point SQS delivers it again. If its fact is not in
// the history, the turn is made; if it is, what is still open of the turn that recorded it
// is sent again. docs/internal/protocol.md has the protocol in ten sentences, and each of its
// rules by what goes wrong; docs/design.md has the words (turn, open, mark, …).
package orchestrator
