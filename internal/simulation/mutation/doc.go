// Package mutation proves that the simulation can find bugs. It has a table of
// bugs that an engineer could really write into the engine or the host; builds
// the simulation's soak with one of them at a time, through go build -overlay,
// so that the sources stay as they are; and runs it until an invariant breaks.
//
// A mutation is a replacement at an anchor, a text that occurs exactly once in
// its file. One whose anchor is gone is an error, so that mutations don't rot.
package mutation
