package simulation

import (
	"strings"

	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// deployStrict lets a build in which all is strict run first, at times, if that
// makes a difference.
func (s *randomScenario) deployStrict(w *World) {
	at := w.choices.At(choice.OfWorld, "strict")
	if w.build != w.good || !s.programs.Have(program.Kind.Loose) || !w.choices.OneIn(at, 6) {
		return
	}
	violate := func(rule, text string) { w.violate(rule, "%s", text) }
	w.deployFirst(s.build("strict", program.Defect{Kind: "strict", Violate: violate}), at)
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
