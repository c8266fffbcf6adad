// Package mutation proves that the simulation can find bugs. It has a table of bugs
// that an engineer could plausibly write in the engine or the host. It builds the
// simulation's soak with one of them at a time, through go build -overlay, so that the
// sources do not change, and runs it until an invariant breaks.
//
// A mutation is a replacement at an anchor, a text that occurs exactly once in its
// file. A mutation whose anchor does not exist is an error, so that the table stays up
// to date.
package mutation
