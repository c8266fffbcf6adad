// Package ledger records what a simulated run has actually stored and done, so that the
// checks need not ask the host: which events landed in which execution, what was cancelled,
// which timers, attempts and children the processes started, and what clients requested. It
// shares no code with the engine.
package ledger
