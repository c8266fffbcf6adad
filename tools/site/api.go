package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
)

const module = "github.com/turnstile-go/turnstile"

// pkg is a package whose API is a page.
type pkg struct{ name, dir string }

// public are the packages that users import, those that they need first at the top.
var public = []pkg{
	{"turnstile", "."}, {"client", "client"}, {"awslambda", "awslambda"}, {"turnstiletest", "turnstiletest"}, {"embedded", "embedded"},
	{"sqlite", "sqlite"}, {"sqlite/local", "sqlite/local"}, {"schedule", "schedule"}, {"host", "host"}, {"codec", "codec"}, {"codec/aesgcm", "codec/aesgcm"},
	{"codec/gzip", "codec/gzip"}, {"console", "console"}, {"otel", "otel"}, {"store", "store"}, {"history", "history"},
}

func (p pkg) page() string { return strings.ReplaceAll(p.name, "/", "-") }

func (p pkg) path() string { return path.Join(module, p.dir) }

// writeAPI makes a page of each public package, and returns how many.
func writeAPI(root, content string) (int, error) {
	for _, p := range public {
		text, err := api(root, p)
		if err != nil {
			return 0, err
		}
		if err := write(filepath.Join(content, p.page()+".md"), front("package "+p.name)+text); err != nil {
			return 0, err
		}
	}
	return len(public), nil
}

// api is the documentation of a package in Markdown.
func api(root string, p pkg) (string, error) {
	dir := filepath.Join(root, filepath.FromSlash(p.dir))
	context := build.Default
	context.BuildTags = nil
	found, err := context.ImportDir(dir, 0)
	if err != nil {
		return "", err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return "", err
		}
		files = append(files, file)
	}
	documented, err := doc.NewFromFiles(set, files, p.path())
	if err != nil {
		return "", err
	}
	w := &writer{set: set, pkg: documented, page: p}
	w.whole()
	return w.String(), nil
}

type writer struct {
	bytes.Buffer
	set  *token.FileSet
	pkg  *doc.Package
	page pkg
}

func (w *writer) whole() {
	fmt.Fprintf(w, "# package %s\n\n```go\nimport %q\n```\n\n", w.page.name, w.page.path())
	w.text(w.pkg.Doc)
	w.index()
	w.values(w.pkg.Consts)
	w.values(w.pkg.Vars)
	for _, f := range w.pkg.Funcs {
		w.function(f, f.Name)
	}
	for _, t := range w.pkg.Types {
		w.heading("type "+t.Name, t.Name)
		w.code(t.Decl)
		w.text(t.Doc)
		w.values(t.Consts)
		w.values(t.Vars)
		for _, f := range t.Funcs {
			w.function(f, f.Name)
		}
		for _, m := range t.Methods {
			w.function(m, t.Name+"."+m.Name)
		}
	}
}

// index links every function and type.
func (w *writer) index() {
	w.WriteString("## Index\n\n")
	for _, f := range w.pkg.Funcs {
		fmt.Fprintf(w, "- [func %s](#%s)\n", f.Name, f.Name)
	}
	for _, t := range w.pkg.Types {
		fmt.Fprintf(w, "- [type %s](#%s)\n", t.Name, t.Name)
		for _, f := range t.Funcs {
			fmt.Fprintf(w, "    - [func %s](#%s)\n", f.Name, f.Name)
		}
		for _, m := range t.Methods {
			fmt.Fprintf(w, "    - [%s](#%s.%s)\n", m.Name, t.Name, m.Name)
		}
	}
	w.WriteString("\n")
}

func (w *writer) heading(title, anchor string) { fmt.Fprintf(w, "## %s {#%s}\n\n", title, anchor) }

func (w *writer) function(f *doc.Func, anchor string) {
	w.heading("func "+anchor, anchor)
	w.code(f.Decl)
	w.text(f.Doc)
}

func (w *writer) values(all []*doc.Value) {
	for _, v := range all {
		for _, name := range v.Names {
			if ast.IsExported(name) { // the target of links to it
				fmt.Fprintf(w, "<a id=%q></a>\n", name)
			}
		}
		w.WriteString("\n")
		w.code(v.Decl)
		w.text(v.Doc)
	}
}

func (w *writer) code(decl ast.Decl) {
	w.WriteString("```go\n")
	_ = format.Node(w, w.set, decl) // a buffer takes everything
	w.WriteString("\n```\n\n")
}

// text writes a comment; its links lead to the pages of the packages, or to pkg.go.dev.
func (w *writer) text(text string) {
	p := w.pkg.Printer()
	p.HeadingLevel = 2
	p.HeadingID = func(*comment.Heading) string { return "" }
	p.DocLinkURL = func(link *comment.DocLink) string {
		anchor := link.Name
		if link.Recv != "" {
			anchor = link.Recv + "." + link.Name
		}
		if anchor != "" {
			anchor = "#" + anchor
		}
		if link.ImportPath == "" {
			return anchor
		}
		for _, other := range public {
			if other.path() == link.ImportPath {
				return other.page() + ".html" + anchor
			}
		}
		if rest, ours := strings.CutPrefix(link.ImportPath, module+"/"); ours {
			return forge + "tree/main/" + rest
		}
		return "https://pkg.go.dev/" + link.ImportPath + anchor
	}
	w.Write(p.Markdown(w.pkg.Parser().Parse(text)))
	w.WriteString("\n")
}
