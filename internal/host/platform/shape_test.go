package platform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A value that a person can hold has a dozen fields at most, and four booleans.
func TestNoValueHasMoreThanADozenFields(t *testing.T) {
	t.Parallel()
	structs := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			structs++
			fields, booleans := 0, 0
			for _, field := range s.Fields.List {
				names := max(1, len(field.Names))
				fields += names
				if kind, ok := field.Type.(*ast.Ident); ok && kind.Name == "bool" {
					booleans += names
				}
			}
			if at := files.Position(s.Pos()); fields > 12 || booleans > 4 {
				t.Errorf("%s:%d: a struct of %d fields, %d of them booleans; 12 and 4 are the most: give those that belong together a type", at.Filename, at.Line, fields, booleans)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if structs < 50 {
		t.Errorf("%d structs looked at in %s: the walk does not reach the packages of host", structs, "internal/host")
	}
}
