package lint

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports findings of all checks. A diagnostic's category is the
// name of its check.
var Analyzer = &analysis.Analyzer{
	Name: "turnstile",
	Doc: `find what orchestration code may not do

An orchestration is run again against its history, and must do the same every
time. This looks for what is not the same: the clock, randomness, goroutines,
channels, locks, the order of maps, the environment, files, the network, and
variables that change; in functions that are given a turnstile.Context, and in
all that they call. A comment "//turnstile:allow CHECK reason" silences a
finding.`,
	URL:       "https://github.com/turnstile-go/turnstile/blob/main/docs/lint.md",
	Run:       run,
	FactTypes: []analysis.Fact{new(functionFact), new(variableFact)},
}

func run(pass *analysis.Pass) (any, error) {
	if isStandard(pass) || isTurnstile(pass.Pkg.Path()) {
		return nil, nil
	}
	c := &collector{
		pass:            pass,
		info:            pass.TypesInfo,
		comments:        readComments(pass),
		byObject:        map[types.Object]*function{},
		literals:        map[*ast.FuncLit]*function{},
		implementations: map[any]bool{},
		mapOrdered:      map[types.Object]bool{},
		written:         map[*types.Var]variableFact{},
	}
	c.collect()
	if !c.isDependency() {
		c.findWritten()
		c.reach()
		c.findMapOrder()
		c.findCaptures()
	}
	c.reach()
	c.exportFacts()
	c.report()
	c.comments.report(pass)
	return nil, nil
}

// find reports one finding.
func (c *collector) find(e effect) {
	c.pass.Report(analysis.Diagnostic{
		Pos:      e.pos,
		Category: string(e.check),
		Message:  fmt.Sprintf("%s: %s %s; %s", e.check, e.what, e.does, e.instead),
	})
}
