package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// constants returns the string constants of a file whose names begin so.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
				continue
			}
			if lit, isLit := spec.Values[i].(*ast.BasicLit); isLit && lit.Kind == token.STRING {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, value)
			}
		}
		return true
	})
	if len(values) < 2 {
		t.Fatalf("%s has %d constants %s…: the test has lost them", file, len(values), prefix)
	}
	return values
}

// problems are the kinds of being stuck or corrupt, as the code has them.
func problems(t *testing.T) []string {
	t.Helper()
	kinds := append(constants(t, "../../engine/errors.go", "Stuck"), constants(t, "../../store/problem.go", "Problem")...)
	for _, want := range []string{string(engine.StuckPanic), store.ProblemKilled, store.ProblemCorrupt} {
		found := false
		for _, k := range kinds {
			found = found || k == want
		}
		if !found {
			t.Errorf("%q is not among the kinds found: %v", want, kinds)
		}
	}
	return kinds
}

// section returns the text under a heading, up to the next of its level.
func section(doc, heading string) string {
	_, rest, _ := strings.Cut(doc, "\n"+heading+"\n")
	level, _, _ := strings.Cut(heading, " ")
	text, _, _ := strings.Cut(rest, "\n"+level+" ")
	return text
}

func TestTroubleshootingNamesEveryReason(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	data, err = os.ReadFile("../../docs/guide/stuck.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := func(part, word string) {
		t.Helper()
		text := section(part, "### `"+word+"`")
		if !strings.Contains(text, "*Meaning.*") || !strings.Contains(text, "*What to do.*") {
			t.Errorf("the documents do not say what %s means and what to do about it", word)
		}
	}
	stuck, corrupt, dead := section(string(data), "## Kinds"), section(string(data), "## Corrupt"), section(doc, "## Dead letters")
	for _, kind := range problems(t) {
		if kind == store.ProblemCorrupt {
			explained(corrupt, kind)
		} else {
			explained(stuck, kind)
		}
	}
	for _, reason := range wire.Reasons() {
		explained(dead, string(reason))
	}
	failed := section(doc, "## Failed")
	for _, kind := range constants(t, "../../history/failure.go", "Failure") {
		if !strings.Contains(failed, "| `"+kind+"` |") {
			t.Errorf("docs/troubleshooting.md has no row for failures of kind %s", kind)
		}
	}
}

func TestTheCommandKnowsWhatToDoAboutEveryReason(t *testing.T) {
	t.Parallel()
	unknown := views.ProblemAdvice("unheard of")
	for _, kind := range problems(t) {
		if views.ProblemAdvice(kind) == unknown {
			t.Errorf("there is no advice about an instance that is %s", kind)
		}
	}
	for _, reason := range append(wire.Reasons(), "") {
		if deadletter.Advice(reason) == deadletter.Advice("unheard of") {
			t.Errorf("there is no advice about a dead letter that is %q", reason)
		}
	}
}
