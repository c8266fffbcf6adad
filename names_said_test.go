package turnstile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// declared are the names of the repository's packages.
type declared struct {
	// packages are the names that packages of a name declare, and Type.Name of methods and fields.
	packages map[string]map[string]bool
	// said are the last parts of the names that public packages declare, and the first words of
	// their texts, such as the words of a history.
	said map[string]bool
}

// said is a comment, a string of a program, or a page.
type said struct {
	at, pkg, text string
	// comment is true for a comment; public is true if users import the package.
	comment, public bool
}

// proper are capitalised words that may appear in the middle of a sentence although they are not
// names of this repository.
var proper = strings.Fields(`AWS Lambda Scheduler EventBridge DynamoDB CloudWatch Go Unix Turnstile Galois Counter Mode Europe Berlin March
	May Host Inspect Tree ExpFloat64 NormFloat64 TimersLostAlarm In Out`)

// receivers are the types of the variables in the examples of comments.
var receivers = map[string][]string{"c": {"client", "Client"}, "env": {"turnstiletest", "Env"}, "run": {"client", "Run"}}

// Every name in a comment, an error or a page exists. Names change, and no compiler checks
// comments.
func TestNamesInCommentsErrorsAndPagesExist(t *testing.T) {
	t.Parallel()
	names, texts := namesAndTexts(t)
	packages := make([]string, 0, len(names.packages))
	for p := range names.packages {
		if p != "gzip" { // Usually means the standard library's package.
			packages = append(packages, p)
		}
	}
	slices.Sort(packages)
	qualified := regexp.MustCompile(`(?:^|[^\w./])(` + strings.Join(packages, "|") + `)\.([A-Z]\w*)(?:\.([A-Z]\w*))?(…?)`)
	linked := regexp.MustCompile(`\[\*?([A-Z]\w*)(?:\.([A-Z]\w*))?\]`)
	// In the middle of a sentence a capitalised word is a name.
	inside := regexp.MustCompile(`(?:[a-z,;(] |\()([A-Z][a-z0-9]\w*)\b`)
	called := regexp.MustCompile(`\b(c|env|run)\.([A-Z]\w*)\(`)
	n := 0
	for i := range texts {
		s := &texts[i]
		missing := func(name string) {
			t.Errorf("%s: %s does not exist: %q", s.at, name, line(s.text, name))
		}
		named := func(pkg, name, of string) {
			n++
			if has := names.packages[pkg]; !has[name] || of != "" && !has[name+"."+of] {
				missing(strings.Trim(pkg+"."+name+"."+of, "."))
			}
		}
		page := strings.HasSuffix(s.at, ".md")
		for _, m := range qualified.FindAllStringSubmatch(s.text, -1) {
			if _, is := public[m[1]]; m[4] == "" && (is || m[1] == "turnstile" || !page) {
				named(m[1], m[2], m[3])
			}
		}
		for paragraph := range strings.SplitSeq(s.text, "\n\n") {
			code := strings.HasPrefix(paragraph, "\t") || strings.HasPrefix(paragraph, "    ")
			for _, m := range linked.FindAllStringSubmatch(paragraph, -1) {
				if s.comment && !code {
					named(s.pkg, m[1], m[2])
				}
			}
			for _, m := range called.FindAllStringSubmatch(paragraph, -1) {
				if of := receivers[m[1]]; s.public && s.comment && code && !names.packages["turnstiletest"][of[1]+"."+m[2]] {
					named(of[0], of[1], m[2])
				}
			}
			for _, m := range inside.FindAllStringSubmatch(strings.Join(strings.Fields(paragraph), " "), -1) {
				if s.public && !code && !names.said[m[1]] && !slices.Contains(proper, m[1]) {
					missing(m[1])
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d names were found", n)
	}
}

// firstWord matches a name at the beginning of a text.
var firstWord = regexp.MustCompile(`^[A-Z]\w*`)

func line(text, name string) string {
	last := name[strings.LastIndexByte(name, '.')+1:]
	for l := range strings.Lines(text) {
		if strings.Contains(l, last) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

func namesAndTexts(t *testing.T) (*declared, []said) {
	t.Helper()
	names := &declared{packages: map[string]map[string]bool{}, said: map[string]bool{}}
	var texts []said
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if n := d.Name(); n == "testdata" || n == "node_modules" || strings.HasPrefix(n, ".") && n != "." || path == "tools/bench/peers" {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, ".md"):
			if strings.HasPrefix(d.Name(), "from-") || d.Name() == "CHANGELOG.md" || d.Name() == "bugs.md" {
				return nil // These pages name parts of other engines, or removed names.
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts = append(texts, said{at: path, text: string(text)})
		case strings.HasSuffix(path, ".go"):
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			pkg := strings.TrimSuffix(file.Name.Name, "_test")
			_, public := public[filepath.ToSlash(filepath.Dir(path))]
			public = public && pkg != "dynamo" && pkg != "engine"
			if file.Name.Name != "main" {
				names.declares(pkg, file, public && !strings.HasSuffix(path, "_test.go"))
			}
			if strings.HasSuffix(path, "_test.go") {
				return nil
			}
			public = public && pkg != "awslambda"
			for _, c := range file.Comments {
				texts = append(texts, said{at: set.Position(c.Pos()).String(), pkg: pkg, text: c.Text(), comment: true, public: public})
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
					if text, err := strconv.Unquote(l.Value); err == nil {
						texts = append(texts, said{at: set.Position(l.Pos()).String(), pkg: pkg, text: text, public: public})
						if word := firstWord.FindString(text); public && word != "" {
							names.said[word] = true
						}
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, texts
}

// declares adds the declarations of a file.
func (d *declared) declares(pkg string, file *ast.File, public bool) {
	has := d.packages[pkg]
	if has == nil {
		has = map[string]bool{}
		d.packages[pkg] = has
	}
	add := func(of string, names ...*ast.Ident) {
		for _, n := range names {
			has[strings.TrimPrefix(of+"."+n.Name, ".")] = true
			if public {
				d.said[n.Name] = true
			}
		}
	}
	fields := func(of string, list *ast.FieldList) {
		for _, f := range list.List {
			add(of, f.Names...)
			if len(f.Names) == 0 {
				if n := typeName(f.Type); n != nil {
					add(of, n)
				}
			}
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			of := ""
			if decl.Recv != nil {
				if n := typeName(decl.Recv.List[0].Type); n != nil {
					of = n.Name
				}
			}
			add(of, decl.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					add("", spec.Names...)
				case *ast.TypeSpec:
					add("", spec.Name)
					switch of := spec.Type.(type) {
					case *ast.StructType:
						fields(spec.Name.Name, of.Fields)
					case *ast.InterfaceType:
						fields(spec.Name.Name, of.Methods)
					}
				}
			}
		}
	}
}

// typeName returns the name of a type in its package, without pointers and type arguments.
func typeName(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}
