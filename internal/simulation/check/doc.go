// Package check holds the invariants of a simulated run. New returns them as the Watcher
// of a world: it is told of each step, looks at the world's ledger, and ends the run at
// the first invariant that is broken. It shares no code with the engine.
package check
