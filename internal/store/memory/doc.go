// Package memory is the store in memory, for the embedded engine, simulations and tests. It stores what
// a table would store (history documents, not Go values), so that a value that does not survive its
// encoding is found here too. It has the limits and the guarantees of the store on AWS, and no stronger
// ones: the slot of a turn is its first event id and nothing else.
package memory
