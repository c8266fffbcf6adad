// Package livetrace prints a live trace of an application: each turn as it is committed, with the
// messages that arrived, the operations that the code started and the messages that were sent; why
// an instance is stuck, and that it continues; log lines of the code; and dead letters.
//
// embedded.WithLiveTrace adds one to a runtime.
//
// The text is meant for a terminal, where it has colours, and may change from one release to the
// next. Programs read histories.
package livetrace
