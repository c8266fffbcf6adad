package turnstile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An author reads in the documentation what makes a history grow: the comment of each function that
// takes a Context says how many events it records, or that it records none.
func TestEveryDurableCallSaysWhatItRecords(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, name := range sourcesIn(t, ".") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, isFunc := d.(*ast.FuncDecl)
			if !isFunc || !f.Name.IsExported() || !takesContext(f) {
				continue
			}
			calls++
			if !strings.Contains(f.Doc.Text(), "record") {
				t.Errorf("%s: the comment of %s does not say what it records", set.Position(f.Pos()), f.Name.Name)
			}
		}
	}
	if calls < 40 {
		t.Errorf("only %d functions that take a Context were found", calls)
	}
}

func takesContext(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if of, isName := p.Type.(*ast.Ident); isName && of.Name == "Context" {
			return true
		}
	}
	return false
}

// For a type that is an alias of a type in another package, `go doc` prints the name and not the
// fields. So the comment contains the declaration or, if its fields are not exported, the methods.
func TestAliasesShowTheirDeclaration(t *testing.T) {
	t.Parallel()
	shown := 0
	for _, entry := range sourcesIn(t, ".") {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, entry, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, isDecl := d.(*ast.GenDecl)
			if !isDecl || decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.TypeSpec)
				from, isOther := spec.Type.(*ast.SelectorExpr)
				if !spec.Assign.IsValid() || !isOther || !spec.Name.IsExported() {
					continue
				}
				shown++
				for _, want := range declaration(t, from.X.(*ast.Ident).Name, from.Sel.Name) {
					if got := decl.Doc.Text(); !strings.Contains(got, want) {
						t.Errorf("%s: the comment of %s does not have the declaration\n%s", set.Position(spec.Pos()), spec.Name.Name, want)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no such type was found")
	}
}

// declaration returns the declaration of a type, or its methods, from the source of its package, indented.
func declaration(t *testing.T, folder, name string) (parts []string) {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		folder = filepath.Join("internal", folder)
	}
	for _, path := range sourcesIn(t, folder) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, from, found := strings.Cut(string(text), "\ntype "+name+" ")
		if !found {
			continue
		}
		if line, _, _ := strings.Cut(from, "\n"); line != "struct {" {
			return []string{"\ttype " + name + " " + line + "\n"}
		}
		fields, _, _ := strings.Cut(from, "\n}\n")
		if exported.MatchString(fields) {
			return []string{"\ttype " + name + " " + strings.ReplaceAll(fields, "\n", "\n\t") + "\n\t}\n"}
		}
		for _, method := range regexp.MustCompile(`(?m)^func \(\w+ \*?`+name+`\) [A-Z][^{\n]*`).FindAllString(string(text), -1) {
			parts = append(parts, "\t"+strings.TrimSpace(method)+"\n")
		}
		return parts
	}
	t.Fatalf("there is no type %s in %s", name, folder)
	return nil
}

// exported matches an exported field of a struct.
var exported = regexp.MustCompile(`(?m)^\t[A-Z]`)

// sourcesIn returns the files of a folder's package, without its tests.
func sourcesIn(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}
