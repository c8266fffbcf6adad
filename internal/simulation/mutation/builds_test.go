package mutation_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/compiled"
	"github.com/turnstile-go/turnstile/internal/simulation/mutation"
	"github.com/turnstile-go/turnstile/internal/stage"
)

func TestEachMutationTypeChecks(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	all := mutation.All()
	var dirs []string
	for i := range all {
		if dir := "./" + path.Dir(all[i].File); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	c := newChecker(t, sources(t), dirs...)
	for i := range all {
		if err := c.check(&all[i]); err != nil {
			t.Error(err)
		}
	}
}

func TestAMutationThatDoesNotTypeCheckIsAnError(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example\n\ngo 1.26\n",
		"a/a.go":    "package a\n\nimport \"strings\"\n\nvar X = strings.ToLower(y)\n",
		"a/b.go":    "package a\n\nvar y = \"Y\"\n",
		"a/test.go": "package a\n\nfunc f() { z := 1; _ = z }\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := newChecker(t, root, "./a")
	for name, bad := range map[string]struct{ file, anchor, replacement, want string }{
		"fine":                        {"a/a.go", "strings.ToLower(y)", "strings.ToUpper(y)", ""},
		"an import that nobody uses":  {"a/a.go", "strings.ToLower(y)", "y", `"strings" imported and not used`},
		"a variable that nobody uses": {"a/test.go", "; _ = z", "", "declared and not used: z"},
		"a name of another file":      {"a/b.go", "var y", "var gone", "undefined: y"},
		"another type":                {"a/b.go", `"Y"`, "1", "cannot use y"},
	} {
		err := c.check(&mutation.Mutation{Name: name, File: bad.file, Edits: []mutation.Edit{{Anchor: bad.anchor, Replacement: bad.replacement}}})
		switch {
		case bad.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case bad.want != "" && (err == nil || !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), name)):
			t.Errorf("%s: %v, want one with %q", name, err, bad.want)
		}
	}
}

// checker type-checks mutated packages against the compiled ones that they import,
// which takes milliseconds where a build of the soak takes seconds.
type checker struct {
	root     string
	files    *token.FileSet
	parsed   map[string]map[string]*ast.File // by directory and file, both from the root
	paths    map[string]string               // import paths, by directory
	importer types.Importer
}

func newChecker(t *testing.T, root string, dirs ...string) *checker {
	t.Helper()
	// The go command resolves links in directories, as those of temporary
	// directories on some systems.
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{root: root, files: token.NewFileSet(), parsed: map[string]map[string]*ast.File{}, paths: map[string]string{}}
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles"}, dirs...)...)
	list.Dir = root
	var complaints bytes.Buffer
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		err := in.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Rel(root, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.ToSlash(dir)
		c.paths[dir], c.parsed[dir] = p.ImportPath, map[string]*ast.File{}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			c.parsed[dir][path.Join(dir, name)] = file
		}
	}
	c.importer = compiled.Importer(t, c.files, root, dirs...)
	return c
}

// check applies the mutation and type-checks its package.
func (c *checker) check(m *mutation.Mutation) error {
	source, err := m.Apply(c.root)
	if err != nil {
		return err
	}
	mutated, err := parser.ParseFile(c.files, m.File, source, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("mutation %q: %w", m.Name, err)
	}
	dir := path.Dir(m.File)
	if c.parsed[dir][m.File] == nil {
		return fmt.Errorf("mutation %q: %s is no file of package %q", m.Name, m.File, c.paths[dir])
	}
	var files []*ast.File
	for name, file := range c.parsed[dir] {
		if name == m.File {
			file = mutated
		}
		files = append(files, file)
	}
	var bad []error
	config := types.Config{Importer: c.importer, Error: func(err error) { bad = append(bad, err) }}
	if _, err := config.Check(c.paths[dir], c.files, files, nil); err != nil && len(bad) == 0 {
		bad = append(bad, err)
	}
	if len(bad) > 0 {
		return fmt.Errorf("mutation %q does not build: %w", m.Name, errors.Join(bad...))
	}
	return nil
}
