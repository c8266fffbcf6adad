package deciding

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type noPackages struct{}

func (noPackages) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// Each file is one concept. If one concept calls a second one, the second never calls the first,
// not even indirectly.
func TestTheFilesCallOneAnotherInOneDirection(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	// The names of other packages do not resolve; they are not needed.
	c := types.Config{Importer: noPackages{}, Error: func(error) {}}
	pkg, _ := c.Check("deciding", fset, parsed(t, fset, "."), &info)
	calls := map[string][]string{} // the files whose functions a file names
	for id, of := range info.Uses {
		if f, ok := of.(*types.Func); ok && f.Pkg() == pkg {
			from, to := fset.File(id.Pos()).Name(), fset.File(f.Pos()).Name()
			if from != to && !slices.Contains(calls[from], to) {
				calls[from] = append(calls[from], to)
			}
		}
	}
	if !slices.Contains(calls["decide.go"], "take.go") || !slices.Contains(calls["take.go"], "start.go") {
		t.Fatalf("known calls were not found: %v", calls)
	}
	done := map[string]bool{}
	var visit func(way []string)
	visit = func(way []string) {
		last := len(way) - 1
		if at := slices.Index(way[:last], way[last]); at >= 0 {
			t.Fatalf("a circle of calls: %s", strings.Join(way[at:], " → "))
		}
		if done[way[last]] {
			return
		}
		for _, to := range calls[way[last]] {
			visit(append(way[:last+1:last+1], to))
		}
		done[way[last]] = true
	}
	for from := range calls {
		visit([]string{from})
	}
}
