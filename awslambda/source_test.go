package awslambda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// source is what a package's functions call, read from its files. Functions are
// told apart by name and receiver; a call leads to every function of that
// name, so that what is found is never too little.
type source struct {
	t     *testing.T
	dir   string
	funcs []*function
	// client lists the methods of the package's Client interface: what it uses
	// of the SDK.
	client map[string]bool
}

type function struct {
	name, receiver string
	// calls by name: of functions and of methods on anything.
	calls map[string]bool
	// fields lists what is called on fields or taken of them: "Store.Commit"
	// for o.Store.Commit(…), "Queues.Delay" for o.Queues.Delay.
	fields map[string]bool
	// sdk lists the methods called on a client field.
	sdk map[string]bool
	// writes lists the kinds of writes of a transaction: "Put", "Update", …
	writes map[string]bool
	// index is set where a query names an index.
	index bool
}

func readSource(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{t: t, dir: dir, client: map[string]bool{}}
	notTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || !notTest(info) {
			continue
		}
		file, err := parser.ParseFile(set, dir+"/"+e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.add(file)
	}
	if len(s.funcs) == 0 {
		t.Fatalf("no functions in %s", dir)
	}
	return s
}

func (s *source) add(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				s.funcs = append(s.funcs, scan(d))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok || ts.Name.Name != "Client" {
					continue
				}
				if i, ok := ts.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						s.client[m.Names[0].Name] = true
					}
				}
			}
		}
	}
}

func scan(d *ast.FuncDecl) *function {
	f := &function{name: d.Name.Name, calls: map[string]bool{}, fields: map[string]bool{}, sdk: map[string]bool{}, writes: map[string]bool{}}
	if d.Recv != nil {
		f.receiver = strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*")
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch fun := n.Fun.(type) {
			case *ast.Ident:
				f.calls[fun.Name] = true
			case *ast.SelectorExpr:
				f.calls[fun.Sel.Name] = true
			}
			// A function handed over is called by who takes it.
			for _, arg := range n.Args {
				if sel, ok := arg.(*ast.SelectorExpr); ok {
					f.calls[sel.Sel.Name] = true
				}
				if id, ok := arg.(*ast.Ident); ok {
					f.calls[id.Name] = true
				}
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.SelectorExpr); ok {
				f.fields[x.Sel.Name+"."+n.Sel.Name] = true
				if x.Sel.Name == "client" {
					f.sdk[n.Sel.Name] = true
				}
			}
			// A parameter or variable that holds the field's value.
			if x, ok := n.X.(*ast.Ident); ok {
				f.fields[x.Name+"."+n.Sel.Name] = true
			}
		case *ast.CompositeLit:
			if sel, ok := n.Type.(*ast.SelectorExpr); ok && typeName(sel.X) == "types" {
				f.writes[sel.Sel.Name] = true
			}
		case *ast.KeyValueExpr:
			f.index = f.index || typeName(n.Key) == "IndexName"
		}
		return true
	})
	return f
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	}
	return ""
}

// reach returns the functions that roots ("Receiver.Name", or "Name") lead to,
// leaving out those with one of the receivers in not.
func (s *source) reach(roots []string, not ...string) []*function {
	s.t.Helper()
	seen := map[*function]bool{}
	var reached []*function
	visit := func(f *function) {
		if !seen[f] && !slices.Contains(not, f.receiver) {
			seen[f] = true
			reached = append(reached, f)
		}
	}
	for _, root := range roots {
		before := len(reached)
		for _, f := range s.funcs {
			if f.receiver+"."+f.name == root || f.name == root && f.receiver == "" {
				visit(f)
			}
		}
		if len(reached) == before && !slices.ContainsFunc(reached, func(f *function) bool { return f.receiver+"."+f.name == root }) {
			s.t.Fatalf("%s has no function %s", s.dir, root)
		}
	}
	for i := 0; i < len(reached); i++ {
		for _, f := range s.funcs {
			if reached[i].calls[f.name] {
				visit(f)
			}
		}
	}
	return reached
}

// used lists what the functions use of a field, as in fields.
func used(fs []*function, field string) []string {
	names := map[string]bool{}
	for _, f := range fs {
		for name := range f.fields {
			if rest, ok := strings.CutPrefix(name, field+"."); ok {
				names[rest] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
