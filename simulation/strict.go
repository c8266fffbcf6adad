package simulation

import (
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/store"
)

// In some runs programs are registered as strict (rule 9). They have no statement
// during which something may complete that nobody waits for, so their outcome is
// what it would be without. At times a build runs first that registers all
// programs as strict: who is stuck by it goes on once it is gone.

// drawStrict decides whether a program is.
func drawStrict(c *choice.Choices, name string) bool {
	return c.OneIn(c.At(c.At(choice.OfProgram, name), "strict"), 5)
}

// loose: while the statement runs, or behind it, something may complete that
// nobody waits for.
func (k kind) loose() bool {
	return k == kScope || k == kOpen || k == kTimeout || k == kLeft || k == kHold
}

// deployStrict lets a build in which all is strict run first, at times, if that
// makes a difference.
func (s *randomScenario) deployStrict(w *World) {
	at := w.choices.At(choice.OfWorld, "strict")
	if w.build != w.good || !s.programs.have(kind.loose) || !w.choices.OneIn(at, 6) {
		return
	}
	violate := func(rule, text string) { w.violate(rule, "%s", text) }
	w.deployFirst(s.build("strict", defect{kind: "strict", violate: violate}), at)
}

// unawaited checks that a build that is strict does not get past the completion
// of what nobody waited for.
func (r *interpreter) unawaited(ctx *engine.Context, f *engine.Future) {
	if r.defect.kind == "strict" && f.Ready() {
		r.defect.violate("rule 9", ctx.Info().Instance+": in strict mode its code went on behind a completion that nobody waited for")
	}
}

// strictly looks at a record: R-03, if it is stuck by rule 9, and goes on later.
func (w *World) strictly(r *store.Record) {
	switch stuck := r.Status == store.StatusStuck; {
	case stuck && r.Problem != nil && strings.Contains(r.Problem.Message, "(strict mode)"):
		note(&w.reach.strict, r.Instance, true)
	case !stuck && w.reach.strict[r.Instance]:
		delete(w.reach.strict, r.Instance)
		w.reached("R-03, strict")
	}
}
