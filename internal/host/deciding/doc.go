// Package deciding has the rules of the protocol: what a turn does next, as a function of
// what is known of its instance and of the messages that came for it.
//
// A [Turn] is what is known; [Decide] looks at its rules in their order, and the first
// that has something to do gives a [Plan]. Whoever carries it out writes in the turn what
// came of it, and asks again, until a plan says that the turn is over:
//
//	load → decide → carry out → decide → carry out → …
//
// Nothing here reads, writes, sends, waits or runs code of authors. A rule that lacks
// knowledge returns a plan that only reads.
package deciding
