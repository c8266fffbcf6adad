// Package check verifies the invariants of a simulated run. New returns them as the Watcher
// of a world: it observes each step, inspects the world's ledger, and ends the run at the
// first broken invariant. It shares no code with the engine.
package check
