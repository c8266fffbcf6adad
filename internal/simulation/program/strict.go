package program

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs programs are registered as strict (rule 9). They have no statement during which an
// operation may complete that the code does not wait for, so their outcome is the same as without
// strict mode. Sometimes a build that registers all programs as strict runs first. Instances that
// it makes stuck continue when the next build runs.

// drawStrict decides whether a program is strict.
func drawStrict(c *choice.Choices, name string) bool {
	return c.OneIn(c.At(c.At(choice.OfProgram, name), "strict"), 5)
}

// Loose reports whether, during the statement or after it, an operation may complete that the code
// does not wait for.
func (k Kind) Loose() bool {
	return k == kScope || k == kOpen || k == kTimeout || k == kLeft || k == kHold || k == kWithdrawn
}

// unawaited checks that a strict build does not get past the completion of an operation
// that its code did not wait for. It may not ask with Ready: that delivers a completion
// that was recorded before the code ran, which strict mode allows. The promise is ready
// last, so the operation is selected only if it was delivered before.
func (r *interpreter) unawaited(ctx *engine.Context, f *engine.Future) {
	if r.defect.Kind != "strict" {
		return
	}
	last, resolve := ctx.Promise()
	resolve()
	if first, err := ctx.Select(true, f, last); err == nil && first == 0 {
		r.defect.Violate("rule 9", ctx.Info().Instance+": in strict mode its code continued after a completion that it did not wait for")
	}
}
