package turnstile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// What makes a history grow is said where an author reads it: the comment of
// each function that takes a Context says how many events it records, or that
// it records none.
func TestEveryDurableCallSaysWhatItRecords(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || !f.Name.IsExported() || !takesContext(f) {
				continue
			}
			calls++
			if !strings.Contains(f.Doc.Text(), "record") {
				t.Errorf("%s: the comment of %s does not say what it records", set.Position(f.Pos()), f.Name.Name)
			}
		}
	}
	if calls < 40 {
		t.Errorf("only %d functions that take a Context were found", calls)
	}
}

func takesContext(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if of, isName := p.Type.(*ast.Ident); isName && of.Name == "Context" {
			return true
		}
	}
	return false
}
