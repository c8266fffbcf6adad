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

// larger are those that have more fields with what they embed, and how many: they may only
// become smaller.
var larger = map[string]int{}

// A value that a person can hold has a dozen fields at most, and four booleans, those of
// what it embeds counted.
func TestNoValueHasMoreThanADozenFields(t *testing.T) {
	t.Parallel()
	files, structs := token.NewFileSet(), 0
	byFolder := map[string]map[string]*ast.StructType{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if byFolder[dir] == nil {
			byFolder[dir] = map[string]*ast.StructType{}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					byFolder[dir][spec.Name.Name] = s
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, named := range byFolder {
		for name, s := range named {
			structs++
			name = filepath.Base(dir) + "." + name
			fields, booleans := size(named, s)
			if most := max(12, larger[name]); fields > most || booleans > 4 {
				at := files.Position(s.Pos())
				t.Errorf("%s:%d: %s has %d fields, %d of them booleans; %d and 4 are the most: give those that belong together a type", at.Filename, at.Line, name, fields, booleans, most)
			}
			if larger[name] > max(fields, 12) {
				t.Errorf("%s has %d fields: the list says %d", name, fields, larger[name])
			}
		}
	}
	if structs < 50 {
		t.Errorf("%d structs looked at: the walk does not reach the packages of internal/host", structs)
	}
}

// size counts the fields of a struct, with those of the structs of its package that it
// embeds.
func size(named map[string]*ast.StructType, s *ast.StructType) (fields, booleans int) {
	for _, field := range s.Fields.List {
		kind := field.Type
		if p, ok := kind.(*ast.StarExpr); ok {
			kind = p.X
		}
		id, _ := kind.(*ast.Ident)
		if len(field.Names) == 0 && id != nil && named[id.Name] != nil {
			f, b := size(named, named[id.Name])
			fields, booleans = fields+f, booleans+b
			continue
		}
		n := max(1, len(field.Names))
		if fields += n; id != nil && id.Name == "bool" {
			booleans += n
		}
	}
	return fields, booleans
}
