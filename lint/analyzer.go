package lint

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports the findings of all checks. The category of a diagnostic is the name of its
// check.
var Analyzer = &analysis.Analyzer{
	Name: "turnstile",
	Doc: `find code that makes an orchestration nondeterministic

An orchestration is replayed against its history, and must make the same calls each
time. The analyzer reports what differs between replays: the clock, randomness,
goroutines, channels, locks, the order of maps, the environment, files, the network,
and variables that change. It checks functions that take a turnstile.Context, and all
functions that they call. A comment "//turnstile:allow CHECK reason" silences a
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
		c.findLostWrites()
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
