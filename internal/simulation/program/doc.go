// Package program makes the random orchestrations of the simulation, runs them on
// the engine, and judges what they return.
//
// A program is random code over what the engine offers. It returns a transcript:
// what each statement gave, in the order of the statements. So its result can be
// judged without running it again, by matching it against the program.
package program
