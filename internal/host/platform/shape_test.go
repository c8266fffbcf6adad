package platform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// declared are the types and functions of a package of internal/host.
type declared struct {
	types map[string]*ast.TypeSpec
	funcs []*ast.FuncDecl
}

// packages parses the packages of internal/host, by folder name.
func packages(t *testing.T) (*token.FileSet, map[string]*declared) {
	t.Helper()
	files, all := token.NewFileSet(), map[string]*declared{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Base(filepath.Dir(path))
		if all[dir] == nil {
			all[dir] = &declared{types: map[string]*ast.TypeSpec{}}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				all[dir].types[n.Name.Name] = n
			case *ast.FuncDecl:
				all[dir].funcs = append(all[dir].funcs, n)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 15 {
		t.Fatalf("%d packages looked at: the walk does not reach those of internal/host", len(all))
	}
	return files, all
}

// named returns the name of the package's type that an expression names directly or through a
// pointer; "" if there is none.
func (d *declared) named(kind ast.Expr) string {
	if p, ok := kind.(*ast.StarExpr); ok {
		kind = p.X
	}
	if id, ok := kind.(*ast.Ident); ok && d.types[id.Name] != nil {
		return id.Name
	}
	return ""
}

// structOf returns the struct of a type of the package; nil if the type is not a struct.
func (d *declared) structOf(name string) *ast.StructType {
	if d.types[name] == nil {
		return nil
	}
	s, _ := d.types[name].Type.(*ast.StructType)
	return s
}

// So that people can understand a value, a struct has at most twelve fields and four booleans,
// including those of embedded structs.
func TestNoValueHasMoreThanADozenFields(t *testing.T) {
	t.Parallel()
	files, all := packages(t)
	for dir, d := range all {
		for name := range d.types {
			s := d.structOf(name)
			if s == nil {
				continue
			}
			if fields, booleans := d.size(s); fields > 12 || booleans > 4 {
				at := files.Position(s.Pos())
				t.Errorf("%s:%d: %s.%s has %d fields, %d of them booleans; 12 and 4 are the most: give those that belong together a type", at.Filename, at.Line, dir, name, fields, booleans)
			}
		}
	}
}

// size counts the fields of a struct, with those of the structs of its package that it
// embeds.
func (d *declared) size(s *ast.StructType) (fields, booleans int) {
	for _, field := range s.Fields.List {
		if embedded := d.structOf(d.named(field.Type)); len(field.Names) == 0 && embedded != nil {
			f, b := d.size(embedded)
			fields, booleans = fields+f, booleans+b
			continue
		}
		n := max(1, len(field.Names))
		if fields += n; isBool(field.Type) {
			booleans += n
		}
	}
	return fields, booleans
}

func isBool(kind ast.Expr) bool {
	id, ok := kind.(*ast.Ident)
	return ok && id.Name == "bool"
}

// A turn is one value, however its fields are nested: the fields of each struct of its package that
// it reaches, also through pointers, slices and maps, count once. A field with such a struct type
// counts as the fields of that struct.
func TestATurnHasFewFields(t *testing.T) {
	t.Parallel()
	_, all := packages(t)
	fields, booleans := all["deciding"].reached("Turn", map[string]bool{})
	if fields > 40 || booleans > 8 {
		t.Errorf("a turn has %d fields, %d of them booleans; 40 and 8 are the most", fields, booleans)
	}
	if fields < 20 {
		t.Errorf("%d fields looked at: the test does not reach those of a turn", fields)
	}
}

// reached counts the fields of the structs that a type reaches, except those that were seen.
func (d *declared) reached(name string, seen map[string]bool) (fields, booleans int) {
	if seen[name] {
		return 0, 0
	}
	seen[name] = true
	through := func(kind ast.Expr) {
		for _, of := range d.mentioned(kind) {
			f, b := d.reached(of, seen)
			fields, booleans = fields+f, booleans+b
		}
	}
	s := d.structOf(name)
	if s == nil {
		through(d.types[name].Type)
		return fields, booleans
	}
	for _, field := range s.Fields.List {
		n := max(1, len(field.Names))
		if isBool(field.Type) {
			booleans += n
		}
		if !slices.ContainsFunc(d.mentioned(field.Type), func(of string) bool { return d.structOf(of) != nil }) {
			fields += n
		}
		through(field.Type)
	}
	return fields, booleans
}

// mentioned returns the package's types that a type refers to.
func (d *declared) mentioned(kind ast.Expr) (all []string) {
	ast.Inspect(kind, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr, *ast.FuncType:
			return false
		case *ast.Ident:
			if d.types[n.Name] != nil {
				all = append(all, n.Name)
			}
		}
		return true
	})
	return all
}

// So that people can understand a type, it has at most forty methods. A function that takes a value
// of the type, or a pointer to one, counts as a method, and so do the methods of embedded types.
func TestNoTypeHasMoreThanFortyMethods(t *testing.T) {
	t.Parallel()
	_, all := packages(t)
	for dir, d := range all {
		for name := range d.types {
			if n := d.methods(name); n > 40 {
				t.Errorf("%s.%s has %d methods; 40 are the most: give a concern of it a type of its own", dir, name, n)
			}
		}
	}
}

func (d *declared) methods(name string) (n int) {
	for _, f := range d.funcs {
		params := f.Type.Params.List
		if f.Recv != nil {
			params = append(params[:len(params):len(params)], f.Recv.List...)
		}
		if slices.ContainsFunc(params, func(p *ast.Field) bool { return d.named(p.Type) == name }) {
			n++
		}
	}
	if s := d.structOf(name); s != nil {
		for _, field := range s.Fields.List {
			if of := d.named(field.Type); len(field.Names) == 0 && of != "" {
				n += d.methods(of)
			}
		}
	}
	return n
}
