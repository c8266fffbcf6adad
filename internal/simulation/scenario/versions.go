package scenario

import (
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// missing removes a program, or one of its versions, from the build. A program whose
// versions all have names is not removed as a whole: a start that arrives meanwhile would
// ask for the version without a name for ever.
func (s *Random) missing(w *world.World, d *program.Defect) {
	at := w.Choices.At(w.How(fault.Deployed), "missing")
	d.At = w.Choices.IntN(at, len(s.Programs))
	d.Lacks = s.Programs[len(s.Programs)-1-d.At]
	if all := d.Lacks.Versions; all != nil {
		d.Version = w.Choices.IntN(w.Choices.At(at, "version"), len(all)+1)
		if d.Version == 0 && all[0] != "" {
			d.Version = len(all)
		}
	}
}

// deployUnreleased sometimes runs a build first that does not have the newest versions yet.
func (s *Random) deployUnreleased(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "unreleased")
	if !s.Programs.Versioned() || w.Build != w.Good || !w.Choices.Even(at) {
		return
	}
	w.DeployFirst(s.build("unreleased", program.Defect{Kind: "unreleased"}), at)
}

// asks returns the version that a client requests.
func (s *Random) asks(w *world.World, start *wire.Item, p *program.Program) string {
	v := program.DrawVersion(&w.Choices, w.Choices.At(w.Choices.At(choice.OfClient, start.Instance), "version"), p.Versions, 4)
	if v != "" {
		note(&s.asked, start.Instance+" "+start.ID, v)
	}
	return v
}

// program returns the program of that name, nil if there is none.
func (s *Random) program(name string) *program.Program {
	for _, p := range s.Programs {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// deployLenient sometimes runs a build first in which exactly the waits that accept all data in the
// good build reject data. The history decides.
func (s *Random) deployLenient(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "lenient")
	if w.Build != w.Good || !s.Programs.Wait() || !w.Choices.OneIn(at, 6) {
		return
	}
	s.lenient, w.Older = true, true
	w.DeployFirst(s.build("lenient", program.Defect{Kind: "lenient"}), at)
}

// deployForgetful sometimes runs a build first whose programs drop what ContinueAsNew returns, and
// complete. The instances get stuck, and continue when the good build is deployed.
func (s *Random) deployForgetful(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "forgetful")
	if w.Build != w.Good || !s.Programs.Continue() || !w.Choices.OneIn(at, 6) {
		return
	}
	s.forgetful = true
	w.DeployFirst(s.build("forgetful", program.Defect{Kind: "forgets"}), at)
}

// deployStrict sometimes runs a build first in which all programs are strict, if that makes
// a difference.
func (s *Random) deployStrict(w *world.World) {
	at := w.Choices.At(choice.OfWorld, "strict")
	if w.Build != w.Good || !s.Programs.Have(program.Kind.Loose) || !w.Choices.OneIn(at, 6) {
		return
	}
	violate := func(rule, text string) { w.Violate(rule, "%s", text) }
	w.DeployFirst(s.build("strict", program.Defect{Kind: "strict", Violate: violate}), at)
}
