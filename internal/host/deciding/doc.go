// Package deciding has the rules of the protocol. They determine the next step of a turn from the
// state of its instance and the messages that arrived for it.
//
// [Known] holds that state, and a [Turn] is the progress of one attempt. [Decide] tries the rules
// in order: each is a function of what is known, and the first that has something to do makes a
// [Plan]. The caller carries out the plan, adds the results to what is known, and calls Decide
// again, until a plan says that the turn is over:
//
//	load → decide → carry out → decide → carry out → …
//
// Nothing here reads, writes, sends, waits or runs users' code. A rule that needs more data returns
// a plan that only reads, and is tried again with the result.
package deciding
