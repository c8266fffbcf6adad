package engine

import "github.com/turnstile-go/turnstile/history"

// strictAllows is rule 9: in strict mode the next completion in history must
// belong to an operation that the code is waiting for now. Completions of
// cancelled operations, and events kept for later waits, never get here; what the
// code asks for without waiting is allowed.
func (x *Execution) strictAllows(op *Future, e *history.Event) bool {
	if !x.def.Strict || op.awaited() || x.known.asking {
		return true
	}
	x.nondeterminism(9, e.EventID, x.describe(e), "is not awaiting the "+op.what()+" now (strict mode)", "")
	return false
}
