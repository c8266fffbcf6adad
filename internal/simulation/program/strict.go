package program

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs programs are registered as strict (rule 9). They have no statement
// during which something may complete that nobody waits for, so their outcome is
// what it would be without. At times a build runs first that registers all
// programs as strict: who is stuck by it goes on once it is gone.

// drawStrict decides whether a program is.
func drawStrict(c *choice.Choices, name string) bool {
	return c.OneIn(c.At(c.At(choice.OfProgram, name), "strict"), 5)
}

// Loose: while the statement runs, or after it, something may complete that
// nobody waits for.
func (k Kind) Loose() bool {
	return k == kScope || k == kOpen || k == kTimeout || k == kLeft || k == kHold || k == kWithdrawn
}

// unawaited checks that a strict build does not get past the completion of an
// operation that nobody waited for.
func (r *interpreter) unawaited(ctx *engine.Context, f *engine.Future) {
	if r.defect.Kind == "strict" && f.Ready() {
		r.defect.Violate("rule 9", ctx.Info().Instance+": in strict mode its code went on behind a completion that nobody waited for")
	}
}
