// Package memory is the store in memory: what the embedded engine, simulations
// and tests run on. It keeps what a table would keep (history documents, not
// Go values), so that a value that does not survive its encoding is found
// here too, and it has the limits and the guarantees of the store on AWS, no
// stronger ones: the slot of a turn is its first event id and nothing else.
package memory
