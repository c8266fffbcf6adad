// Package fault lists the faults of a simulated run: crashes, lost answers, late writes,
// repeated messages and others. Each is a Kind that a run can count and leave out.
package fault
