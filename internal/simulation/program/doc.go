// Package program generates the random orchestrations of the simulation, runs them on the
// engine, and verifies what they return.
//
// A program is random code over the features of the engine. It returns a transcript: the
// result of each statement, in order. So its result can be verified without running it
// again, by matching it against the program.
package program
