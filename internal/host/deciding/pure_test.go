package deciding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsed returns the parsed files of a folder, without its tests.
func parsed(t *testing.T, fset *token.FileSet, dir string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// A decision reads, writes, sends and waits for nothing: it names no service, no clock and no
// context, calls nothing that takes one, and starts no goroutine.
func TestADecisionReachesNoService(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	services, waits := map[string]bool{}, map[string]bool{} // store interfaces; functions that take a context, by package
	for _, dir := range []string{"store", "internal/host/reading", "internal/host/inbox", "internal/host/dispatch", "internal/host/edge", "internal/host/backoff", "internal/host/attempt", "internal/keyring"} {
		for _, f := range parsed(t, fset, filepath.Join("../../..", dir)) {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					if _, ok := n.Type.(*ast.InterfaceType); ok {
						services[filepath.Base(dir)+"."+n.Name.Name] = true
					}
				case *ast.FuncDecl:
					for _, p := range n.Type.Params.List {
						if s, ok := p.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Context" && n.Name.IsExported() {
							waits[n.Name.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	if !services["store.Store"] || !services["store.Activities"] || !waits["DeadLetter"] || !waits["Describe"] || !waits["Pause"] {
		t.Fatalf("what is looked for was not found: %v %v", services, waits)
	}
	for _, f := range parsed(t, fset, ".") {
		for _, d := range f.Decls {
			if own, ok := d.(*ast.FuncDecl); ok {
				delete(waits, own.Name.Name)
			}
		}
	}
	forbidden := []string{"context", "queue", "timer", "clock", "os", "net", "net/http", "io", "sync", "crypto/rand", "math/rand", "math/rand/v2"}
	selectors := 0
	for _, f := range parsed(t, fset, ".") {
		for _, i := range f.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if slices.Contains(forbidden, strings.TrimPrefix(p, "github.com/turnstile-go/turnstile/")) {
				t.Errorf("%s is imported", p)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Error("a goroutine is started")
			case *ast.SelectorExpr:
				selectors++
				if of, ok := n.X.(*ast.Ident); ok && (services[of.Name+"."+n.Sel.Name] || of.Name == "time" && slices.Contains([]string{"Now", "Sleep", "After", "Since"}, n.Sel.Name)) {
					t.Errorf("%s.%s is named", of.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && waits[s.Sel.Name] {
					t.Errorf("%s is called, which may wait", s.Sel.Name)
				}
			}
			return true
		})
	}
	if selectors < 500 {
		t.Errorf("%d selectors looked at: the test has lost the source", selectors)
	}
}
