package turnstile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A format with a verb that does not exist wraps no error and prints noise. The compiler accepts it.
func TestFormatsHaveKnownVerbs(t *testing.T) {
	t.Parallel()
	verb := regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:\[\d+\])?(.)`)
	formats := map[string]int{"Errorf": 0, "Sprintf": 0, "Printf": 0, "Fprintf": 1, "Appendf": 1}
	seen := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at, ok := formats[called.Sel.Name]
			of, isName := called.X.(*ast.Ident)
			if !ok || !isName || of.Name != "fmt" || len(call.Args) <= at {
				return true
			}
			literal, ok := call.Args[at].(*ast.BasicLit)
			if !ok {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Error(err)
			}
			for _, found := range verb.FindAllStringSubmatch(text, -1) {
				if seen++; !strings.Contains("vTtbcdoOqxXUeEfFgGspw%", found[1]) {
					t.Errorf("%s: the format %q has the verb %q", files.Position(call.Pos()), text, found[0])
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 1000 {
		t.Errorf("%d verbs, %v", seen, err)
	}
}
