// Package memory is the store in memory, for the embedded engine, simulations and tests. It stores
// what a table would store (history documents, not Go values), so that tests also find values that
// do not survive their encoding. It has the limits and guarantees of the store on AWS, and no
// stronger ones: the slot of a turn depends only on its first event id.
package memory
