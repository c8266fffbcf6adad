// Package timeline turns the histories of an instance into a view for people: a row per operation, a tick per turn, a band per execution.
// It also finds what the instance waits for, down to the leaf operations, and what it has cost so far.
//
// It has no dependency on JSON, HTML or terminals, so that the console's page, its API and the command line show the same. It reads no
// clock: an open operation has no end, and the caller supplies the current time. It says where it guesses (Row.Assumed, Bill.LeftOut,
// Leaf.Known).
package timeline
