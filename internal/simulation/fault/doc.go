// Package fault lists what may go wrong in a simulated run: crashes, lost answers,
// late writes, repeated messages and the like, each a Kind that a run can count and
// leave out.
package fault
