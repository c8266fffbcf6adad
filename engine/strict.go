package engine

import "github.com/turnstile-go/turnstile/history"

// strictAllows implements rule 9: in strict mode, the next completion in the history must
// belong to an operation that the code is waiting for. It is not called for completions
// of cancelled operations or for events that are kept for later waits. Completions that
// the code asked for without waiting are allowed.
func (x *Execution) strictAllows(op *Future, e *history.Event) bool {
	if !x.def.Strict || op.awaited() || x.known.asking {
		return true
	}
	x.nondeterminism(9, e.EventID, x.describe(e), "is not awaiting the "+op.what()+" now (strict mode)", "")
	return false
}
