package awslambda_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// source is what the functions of some packages call, read and type-checked from
// their files, each package by itself. What other packages declare is unknown to it:
// a call on such a value leads to every function of that name, so that what is found
// is never too little.
type source struct {
	t     *testing.T
	dirs  []string
	funcs []*function
	types types.Info
	of    map[types.Object]*function
	// entries ("Receiver.Name") are called from outside alone: a call on a
	// foreign value (slog's Handler.Handle) does not lead to them.
	entries []string
}

type function struct {
	name, receiver string
	decl           *ast.FuncDecl
	// fields lists what is called on fields, parameters or variables or taken
	// of them: "Store.Commit" for o.Store.Commit(…), "Queues.Delay" for
	// o.Queues.Delay.
	fields map[string]bool
	// called lists the methods called on anything.
	called map[string]bool
	// inputs lists the SDK's input types that the function names: "PutItem"
	// for dynamodb.PutItemInput.
	inputs map[string]bool
	// calls lists the same with their services: "dynamodb:PutItem".
	calls []string
	// writes lists the kinds of writes of a transaction: "Put", "Update", … and
	// "Get" of one that reads.
	writes map[string]bool
	// index is set where a query names an index.
	index bool
}

func readSource(t *testing.T, dirs []string, entries ...string) *source {
	t.Helper()
	s := &source{t: t, dirs: dirs, of: map[types.Object]*function{}, entries: entries}
	s.types = types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	for _, dir := range dirs {
		s.read(dir)
	}
	return s
}

// read adds a package.
func (s *source) read(dir string) {
	s.t.Helper()
	listing, err := os.ReadDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, e := range listing {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, dir+"/"+e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			s.t.Fatal(err)
		}
		files = append(files, file)
	}
	config := types.Config{
		Importer: unknown{},
		Error:    func(error) {}, // everything that comes from elsewhere is one
	}
	_, _ = config.Check(dir, set, files, &s.types)
	before := len(s.funcs)
	for _, file := range files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				f := scan(d)
				s.funcs = append(s.funcs, f)
				s.of[s.types.Defs[d.Name]] = f
			}
		}
	}
	if len(s.funcs) == before {
		s.t.Fatalf("no functions in %s", dir)
	}
}

// holds reports whether a package is one of those that were read.
func (s *source) holds(path string) bool {
	return slices.ContainsFunc(s.dirs, func(dir string) bool { return strings.HasSuffix(path, strings.TrimLeft(dir, ".")) })
}

// unknown imports nothing.
type unknown struct{}

func (unknown) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	p.MarkComplete()
	return p, nil
}

func scan(d *ast.FuncDecl) *function {
	f := &function{name: d.Name.Name, decl: d, fields: map[string]bool{}, called: map[string]bool{}, inputs: map[string]bool{}, writes: map[string]bool{}}
	if d.Recv != nil {
		f.receiver = strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*")
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				f.called[sel.Sel.Name] = true
			}
		case *ast.SelectorExpr:
			switch x := n.X.(type) {
			case *ast.SelectorExpr:
				f.fields[x.Sel.Name+"."+n.Sel.Name] = true
			case *ast.Ident:
				f.fields[x.Name+"."+n.Sel.Name] = true
				if name, ok := strings.CutSuffix(n.Sel.Name, "Input"); ok && name != "" {
					f.inputs[name] = true
					f.calls = append(f.calls, strings.TrimPrefix(x.Name, "aws")+":"+name) // awssqs is an import's other name
				}
				if x.Name == "types" {
					f.writes[n.Sel.Name] = true
				}
			}
		case *ast.KeyValueExpr:
			f.index = f.index || typeName(n.Key) == "IndexName"
		}
		return true
	})
	return f
}

// next lists the functions that f names.
func (s *source) next(f *function) []*function {
	var next []*function
	named := func(name string) {
		for _, g := range s.funcs {
			if g.name == name && !slices.Contains(s.entries, g.receiver+"."+g.name) {
				next = append(next, g)
			}
		}
	}
	set := map[ast.Expr]bool{} // fields, which may have the name of a function
	ast.Inspect(f.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				set[to] = true
			}
		case *ast.SelectorExpr:
			if set[n] {
				return true
			}
			if _, known := s.types.Uses[n.Sel]; !known {
				if x, ok := n.X.(*ast.Ident); ok {
					if p, foreign := s.types.Uses[x].(*types.PkgName); foreign && !s.holds(p.Imported().Path()) {
						return true
					}
				}
				named(n.Sel.Name)
			}
		case *ast.Ident:
			switch o := s.types.Uses[n].(type) {
			case *types.Func:
				o = o.Origin()
				if g := s.of[o]; g != nil {
					next = append(next, g)
				} else {
					named(o.Name()) // of an interface
				}
			}
		}
		return true
	})
	return next
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

// reach returns the functions that roots ("Receiver.Name", or "Name") lead to.
func (s *source) reach(roots ...string) []*function {
	s.t.Helper()
	seen := map[*function]bool{}
	var reached []*function
	visit := func(fs ...*function) {
		for _, f := range fs {
			if !seen[f] {
				seen[f] = true
				reached = append(reached, f)
			}
		}
	}
	for _, root := range roots {
		at := slices.IndexFunc(s.funcs, func(f *function) bool {
			return f.receiver+"."+f.name == root || f.receiver == "" && f.name == root
		})
		if at < 0 {
			s.t.Fatalf("%s has no function %s", s.dirs, root)
		}
		visit(s.funcs[at])
	}
	for i := 0; i < len(reached); i++ {
		visit(s.next(reached[i])...)
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
