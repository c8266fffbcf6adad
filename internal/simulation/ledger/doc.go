// Package ledger notes what a simulated run has really stored and done, so that the
// checks need not ask the host: which events landed in which execution, what was
// cancelled, which timers, attempts and children the processes brought about, and what
// clients asked for. It shares no code with the engine.
package ledger
