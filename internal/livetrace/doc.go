// Package livetrace shows people an application at work: each turn as it is
// committed, with what arrived, what the code answered and what was sent; why
// an instance is stuck, and that it goes on; what the code logs; and what became
// a dead letter.
//
// embedded.WithLiveTrace gives one to a runtime.
//
// It is text for a terminal, with colours there and without them elsewhere, and
// may change from one release to the next. Programs read histories.
package livetrace
