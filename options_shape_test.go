package turnstile_test

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

// optionVerbs are the prefixes of options that are named after an action. All other options start
// with "With".
var optionVerbs = []string{"Allow", "Check", "Compare", "Crash", "Force", "Keep", "On", "Start", "Use"}

// publicFiles calls f with each file of a package that users can import, in all
// modules of the repository.
func publicFiles(t *testing.T, f func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "internal" || n == "testdata" || n == "cmd" || strings.HasPrefix(n, ".") && n != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f(path, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A type whose name ends with Option is an interface that only its package can implement, and a
// function that returns one is named according to design.md.
func TestOptionsHaveOneShape(t *testing.T) {
	t.Parallel()
	types, functions := 0, 0
	publicFiles(t, func(path string, file *ast.File) {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, is := spec.(*ast.TypeSpec); is && s.Name.IsExported() && strings.HasSuffix(s.Name.Name, "Option") {
						types++
						if !closedInterface(s.Type) {
							t.Errorf("%s: type %s is not an interface that only its package implements", path, s.Name)
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv != nil || !d.Name.IsExported() || d.Type.Results == nil || len(d.Type.Results.List) != 1 {
					continue
				}
				result, is := d.Type.Results.List[0].Type.(*ast.Ident)
				if !is || !strings.HasSuffix(result.Name, "Option") {
					continue
				}
				functions++
				name := d.Name.Name
				verb := slices.ContainsFunc(optionVerbs, func(v string) bool { return strings.HasPrefix(name, v) })
				with := strings.HasPrefix(name, "With")
				if root := !strings.Contains(path, "/"); root && with || !root && !with && !verb {
					t.Errorf("%s: option %s: in the root package it is bare; elsewhere it begins with With, or with a verb: %v", path, name, optionVerbs)
				}
			}
		}
	})
	if types < 15 || functions < 60 {
		t.Errorf("found %d types of options and %d functions that return one", types, functions)
	}
}

// closedInterface reports whether an interface has an unexported method, or embeds such interfaces.
// An alias is a type of another package.
func closedInterface(of ast.Expr) bool {
	if _, is := of.(*ast.SelectorExpr); is {
		return true
	}
	i, is := of.(*ast.InterfaceType)
	return is && slices.ContainsFunc(i.Methods.List, func(m *ast.Field) bool {
		return len(m.Names) == 0 || !m.Names[0].IsExported()
	})
}
