package simulation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/wire"
)

// In some runs a program is registered in several versions. All have the same
// body; but each says in the transcript who it is, and in the input of its
// activities, so that history tells which one ran, and another one can't go on
// with it.

// versionLists are the versions that a program may have, the oldest first; the
// first of them is that of most programs.
var versionLists = [][]string{nil, {"", "1.2"}, {"1.2", "1.10"}, {"", "1.9", "1.10"}, {"1.2", "1.10", "2"}}

// drawVersions decides for the versions of a program, and which it continues as new with: "" for the newest.
func drawVersions(c *choice.Choices, name string) (all []string, next string) {
	at := c.At(c.At(choice.OfProgram, name), "versions")
	if !c.OneIn(at, 5) {
		return nil, ""
	}
	all = versionLists[1+c.IntN(at, len(versionLists)-1)]
	return all, drawVersion(c, at, all, 3)
}

// drawVersion decides for one of several versions, in one of n cases, else for "".
func drawVersion(c *choice.Choices, at choice.Spot, all []string, n int) string {
	if len(all) == 0 || !c.OneIn(at, n) {
		return ""
	}
	return all[c.IntN(at, len(all))]
}

// versioned reports whether a program of the run has several versions.
func (ps programs) versioned() bool {
	return slices.ContainsFunc(ps, func(p *program) bool { return p.versions != nil })
}

// registered are the entries of a program in a build with a defect: all its
// versions but those that the build lacks.
func (ps programs) registered(p *program, d defect) []engine.Orchestration {
	var all []engine.Orchestration
	for _, v := range d.versionsOf(p) {
		all = append(all, engine.Orchestration{Name: p.name, Version: v, Func: ps.code(p, v, d), Source: "simulation", Strict: p.strict || d.kind == "strict"})
	}
	return all
}

// versionsOf are the versions of a program that a build with the defect has.
func (d *defect) versionsOf(p *program) []string {
	switch all := p.versions; {
	case d.lacks == p && d.version == 0:
		return nil
	case all == nil:
		return []string{""}
	case d.lacks == p:
		return slices.Delete(slices.Clone(all), d.version-1, d.version)
	case d.kind == "unreleased":
		return all[:len(all)-1]
	default:
		return all
	}
}

// missing lets the build lack a program, or one of its versions. One whose
// versions all have names is not missing as a whole: a start that comes meanwhile
// would ask for the version without a name for ever.
func (s *randomScenario) missing(w *World, d *defect) {
	at := w.choices.At(w.how(Deployed), "missing")
	d.at = w.choices.IntN(at, len(s.programs))
	d.lacks = s.programs[len(s.programs)-1-d.at]
	if all := d.lacks.versions; all != nil {
		d.version = w.choices.IntN(w.choices.At(at, "version"), len(all)+1)
		if d.version == 0 && all[0] != "" {
			d.version = len(all)
		}
	}
}

// deployUnreleased lets a build run first, at times, that does not have the
// newest versions yet.
func (s *randomScenario) deployUnreleased(w *World) {
	at := w.choices.At(choice.OfWorld, "unreleased")
	if !s.programs.versioned() || w.build != w.good || !w.choices.Even(at) {
		return
	}
	w.deployFirst(s.build("unreleased", defect{kind: "unreleased"}), at)
}

// saying is a transcript to which a version adds who it is.
func (p *program) saying(ctx *engine.Context, version string, out []token) []token {
	out = append([]token{}, out...)
	if p.versions == nil {
		return out
	}
	t := token{K: "version", V: version}
	if told := ctx.Info().Version; told != version {
		t.V += " told " + told
	}
	return append(out, t)
}

// title is the program with its versions.
func (p *program) title() string {
	if p.versions == nil {
		return p.name
	}
	text := p.name
	for i, v := range p.versions {
		text += []string{" in versions ", ", "}[min(i, 1)] + strconv.Quote(v)
	}
	if p.next != "" {
		text += ", continued as " + strconv.Quote(p.next)
	}
	return text
}

// at is what comes behind the name of a program that is asked for in a version.
func (s *statement) atVersion() string {
	if s.version == "" {
		return ""
	}
	return "@" + s.version
}

// quoted reports whether a text has a version in quotes.
func quoted(text, version string) bool { return strings.Contains(text, strconv.Quote(version)) }

// asks is the version that a client asks for.
func (s *randomScenario) asks(w *World, start *wire.Item, p *program) string {
	v := drawVersion(&w.choices, w.choices.At(w.choices.At(choice.OfClient, start.Instance), "version"), p.versions, 4)
	if v != "" {
		note(&s.asked, start.Instance+" "+start.ID, v)
	}
	return v
}

// program of that name, nil if it is none.
func (s *randomScenario) program(name string) *program {
	for _, p := range s.programs {
		if p.name == name {
			return p
		}
	}
	return nil
}
