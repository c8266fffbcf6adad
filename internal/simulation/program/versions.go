package program

import (
	"slices"
	"strconv"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// In some runs a program is registered in several versions. All have the same body, but each records its
// version in the transcript and in the input of its activities, so that the history shows which one ran, and
// another one cannot continue it.

// versionLists are the lists of versions that a program may have, the oldest version first; most programs
// have the first list.
var versionLists = [][]string{nil, {"", "1.2"}, {"1.2", "1.10"}, {"", "1.9", "1.10"}, {"1.2", "1.10", "2"}}

// drawVersions decides the versions of a program, and which one it continues as new with: "" for the newest.
func drawVersions(c *choice.Choices, name string) (all []string, next string) {
	at := c.At(c.At(choice.OfProgram, name), "versions")
	if !c.OneIn(at, 5) {
		return nil, ""
	}
	all = versionLists[1+c.IntN(at, len(versionLists)-1)]
	return all, DrawVersion(c, at, all, 3)
}

// DrawVersion picks one of several versions, in one of n cases, otherwise "".
func DrawVersion(c *choice.Choices, at choice.Spot, all []string, n int) string {
	if len(all) == 0 || !c.OneIn(at, n) {
		return ""
	}
	return all[c.IntN(at, len(all))]
}

// Versioned reports whether a program of the run has several versions.
func (ps Programs) Versioned() bool {
	return slices.ContainsFunc(ps, func(p *Program) bool { return p.Versions != nil })
}

// Registered returns the entries of a program in a build with a defect: all its versions except those that
// the build lacks.
func (ps Programs) Registered(p *Program, d Defect) []engine.Orchestration {
	var all []engine.Orchestration
	for _, v := range d.VersionsOf(p) {
		all = append(all, engine.Orchestration{Name: p.Name, Version: v, Func: ps.code(p, v, d), Source: "simulation", Strict: p.Strict || d.Kind == "strict",
			LimitKey: p.limitKey(), Limit: p.Limit})
	}
	return all
}

// VersionsOf returns the versions of a program that a build with the defect has.
func (d *Defect) VersionsOf(p *Program) []string {
	switch all := p.Versions; {
	case d.Lacks == p && d.Version == 0:
		return nil
	case all == nil:
		return []string{""}
	case d.Lacks == p:
		return slices.Delete(slices.Clone(all), d.Version-1, d.Version)
	case d.Kind == "unreleased":
		return all[:len(all)-1]
	default:
		return all
	}
}

// saying returns a transcript to which a version has added its name.
func (p *Program) saying(ctx *engine.Context, version string, out []Token) []Token {
	out = append([]Token{}, out...)
	if p.Versions == nil {
		return out
	}
	t := Token{K: "version", V: version}
	if told := ctx.Info().Version; told != version {
		t.V += " told " + told
	}
	return append(out, t)
}

// title formats the program with its versions.
func (p *Program) title() string {
	if p.Versions == nil {
		return p.Name + p.underLimit()
	}
	text := p.Name + p.underLimit()
	for i, v := range p.Versions {
		text += []string{" in versions ", ", "}[min(i, 1)] + strconv.Quote(v)
	}
	if p.Next != "" {
		text += ", continued as " + strconv.Quote(p.Next)
	}
	return text
}

// atVersion returns the suffix for the name of a program that is requested in a version.
func (s *Statement) atVersion() string {
	if s.Version == "" {
		return ""
	}
	return "@" + s.Version
}
