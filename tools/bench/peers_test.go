package bench

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/compiled"
)

// The packages of peers need sources that fetch.sh clones and modules that a proxy may refuse, so
// they are built by a workflow alone. What they use of ours, and of the standard library, is
// checked here: a use of another package is taken as it is written.
func TestThePeersUseTheInstalledVersions(t *testing.T) {
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
		config := types.Config{Importer: compiled.Importer(t, files, "", wanted...), Error: func(err error) {
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
