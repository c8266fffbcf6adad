// Package timeline makes of the histories of an instance what people look at: a
// row an operation, a tick a turn, a band an execution; what the instance waits
// for, down to the leaf; and what it has cost so far.
//
// It knows nothing of JSON, HTML or terminals, so that the console's page, its
// API and a command line show the same. It reads no clock: what is open has no
// end, and who shows it says what time it is. Nothing in it is a guess without
// saying so (Row.Assumed, Bill.LeftOut, Leaf.Known).
package timeline
