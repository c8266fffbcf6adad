package bench

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The packages of peers need sources that fetch.sh clones and modules that a proxy may refuse, so
// they are built by a workflow alone. What they use of ours, and of the standard library, is
// checked here: a use of another package is taken as it is written.
func TestThePeersUseWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"peers", "peers/tasks/aws", "peers/tasks/dbos", "peers/tasks/temporal"} {
		files := token.NewFileSet()
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(names), err)
		}
		var parsed []*ast.File
		var wanted []string
		for _, name := range names {
			f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
			for _, i := range f.Imports {
				path := strings.Trim(i.Path.Value, `"`)
				if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") ||
					strings.HasPrefix(path, "github.com/turnstile-go/turnstile") && !strings.Contains(path, "/peers/") {
					wanted = append(wanted, path)
				}
			}
		}
		var bad []error
		config := types.Config{Importer: compiled(t, files, wanted), Error: func(err error) {
			// A type argument may be known from a package of others alone.
			if text := err.Error(); !strings.Contains(text, "could not import") && !strings.Contains(text, "cannot infer") {
				bad = append(bad, err)
			}
		}}
		if _, err := config.Check(dir, files, parsed, nil); err == nil {
			t.Errorf("%s imports nothing of others: check it as all packages are", dir)
		}
		for _, err := range bad {
			t.Error(err)
		}
	}
}

// compiled imports the packages, and what they import, as the go command has compiled them, and no
// others.
func compiled(t *testing.T, files *token.FileSet, packages []string) types.Importer {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	var complaints bytes.Buffer
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s: %w", path, errors.ErrUnsupported)
		}
		return os.Open(exports[path])
	})
}
