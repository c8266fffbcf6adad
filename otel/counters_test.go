package otel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Each counter of the host has a counter here.
func TestEachCounterOfTheHostIsReported(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../host/observer.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, c := range counters {
		told[string(c.of)] = true
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Counter" {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		if found++; !told[name] {
			t.Errorf("%s is not among the counters", spec.Names[0].Name)
		}
		return true
	})
	if found != len(counters) {
		t.Errorf("the host has %d counters, and %d are told of", found, len(counters))
	}
}
