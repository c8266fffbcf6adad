package simulation

import (
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/wire"
)

// missing lets the build lack a program, or one of its versions. One whose
// versions all have names is not missing as a whole: a start that comes meanwhile
// would ask for the version without a name for ever.
func (s *randomScenario) missing(w *World, d *program.Defect) {
	at := w.choices.At(w.how(Deployed), "missing")
	d.At = w.choices.IntN(at, len(s.programs))
	d.Lacks = s.programs[len(s.programs)-1-d.At]
	if all := d.Lacks.Versions; all != nil {
		d.Version = w.choices.IntN(w.choices.At(at, "version"), len(all)+1)
		if d.Version == 0 && all[0] != "" {
			d.Version = len(all)
		}
	}
}

// deployUnreleased lets a build run first, at times, that does not have the
// newest versions yet.
func (s *randomScenario) deployUnreleased(w *World) {
	at := w.choices.At(choice.OfWorld, "unreleased")
	if !s.programs.Versioned() || w.build != w.good || !w.choices.Even(at) {
		return
	}
	w.deployFirst(s.build("unreleased", program.Defect{Kind: "unreleased"}), at)
}

// quoted reports whether a text has a version in quotes.
func quoted(text, version string) bool { return strings.Contains(text, strconv.Quote(version)) }

// asks is the version that a client asks for.
func (s *randomScenario) asks(w *World, start *wire.Item, p *program.Program) string {
	v := program.DrawVersion(&w.choices, w.choices.At(w.choices.At(choice.OfClient, start.Instance), "version"), p.Versions, 4)
	if v != "" {
		note(&s.asked, start.Instance+" "+start.ID, v)
	}
	return v
}

// program of that name, nil if it is none.
func (s *randomScenario) program(name string) *program.Program {
	for _, p := range s.programs {
		if p.Name == name {
			return p
		}
	}
	return nil
}

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
