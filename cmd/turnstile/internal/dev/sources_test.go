//go:build unix

package dev

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestWhatAProgramIsBuiltFrom(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"local/main.go":      "package main\n\nimport (\n\t\"embed\"\n\n\t\"example.com/other\"\n\t\"example.com/toy/app\"\n)\n\n//go:embed text.txt\nvar text string\n\n//go:embed static pages/*.html all:whole\nvar more embed.FS\n\nfunc main() { println(app.A, other.B, text) }\n",
		"local/text.txt":     "text",
		"local/static/a/a":   "a",
		"local/static/_b":    "b",
		"local/pages/a.html": "a",
		"local/pages/a.md":   "a",
		"local/whole/_a":     "a",
		"app/app.go":         "package app\n\nvar A = 1\n",
		"app/app_test.go":    "package app\n",
		"app/_app.go":        "package app\n",
		"lambdas/main.go":    "package main\n",
		"../other/go.mod":    "module example.com/other\n",
		"../other/other.go":  "package other\n\nvar B = 1\n",
		"go.mod":             "module example.com/toy\n\ngo 1.26\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ../other\n",
	})
	s, err := findSources(t.Context(), b.dir, "./local")
	if err != nil {
		t.Fatal(err)
	}
	paths := func(all snapshot) []string {
		var names []string
		for path := range all {
			name, err := filepath.Rel(b.dir, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(name))
		}
		slices.Sort(names)
		return names
	}
	want := []string{"../other/go.mod", "../other/other.go", "app/app.go", "go.mod", "local/main.go", "local/pages/a.html", "local/static/a/a", "local/text.txt", "local/whole/_a"}
	before := s.look()
	if got := paths(before); !slices.Equal(got, want) {
		t.Errorf("it is built from %q, want %q", got, want)
	}

	b.write("app/more.go", "package app\n")
	b.write("app/more_test.go", "package app\n")
	b.write("app/sum_amd64.s", "")
	b.write("local/static/a/new", "new")
	b.write("local/static/.new", "new")
	b.write("local/pages/new.html", "new")
	b.write("local/pages/new.md", "new")
	b.write("local/whole/.new", "new")
	b.write("go.work", "go 1.26\n\nuse .\n")
	b.write("../go.work.sum", "")
	b.write("vendor/modules.txt", "")
	b.write("lambdas/main.go", "package main // changed\n")
	if err := os.Chtimes(filepath.Join(b.dir, "local/text.txt"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.dir, "../other/other.go")); err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, path := range s.look().changed(before) {
		changed = append(changed, filepath.Base(path))
	}
	slices.Sort(changed)
	if want := []string{".new", "go.work", "go.work.sum", "modules.txt", "more.go", "new", "new.html", "other.go", "sum_amd64.s", "text.txt"}; !slices.Equal(changed, want) {
		t.Errorf("changed are %q, want %q", changed, want)
	}

	s.tree = b.dir
	if !slices.Contains(paths(s.look()), "lambdas/main.go") {
		t.Errorf("the whole tree is %q", paths(s.look()))
	}
}
