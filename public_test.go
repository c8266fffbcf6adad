package turnstile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public are the packages that users may import, and for which users. All other packages are under
// internal/, or are programs, examples and tests. From the first release on, each of their names is
// a promise.
var public = map[string]string{
	".":             "authors of orchestrations and activities",
	"client":        "callers: start, raise, wait, describe, list, control",
	"schedule":      "authors and operators of recurring work; separate, so that programs without schedules link no cron parser and no time zones",
	"turnstiletest": "tests of authors",
	"embedded":      "programs that run all in one process",
	"awslambda":     "the mains of the two functions",
	"host":          "operators' programs: settings, and what is observed",
	"console":       "programs that mount the console",
	"codec":         "programs that seal payloads",
	"codec/aesgcm":  "the same",
	"codec/gzip":    "the same",
	"history":       "readers of histories, and databases (module sqlite)",
	"store":         "databases (module sqlite)",
	"journal":       "databases (module sqlite)",

	// They stay public, and are counted separately.
	"engine":       "readers of the replay core; checks of module sqlite",
	"store/dynamo": "programs that read the tables themselves",
}

// apart are counted separately from the names that users have to learn.
var apart = []string{"engine", "store/dynamo"}

const (
	mostPackages = 14
	mostNames    = 454 // of which package schedule has 20, states have 15, queries 11 and updates 28
)

func TestOnlyPackagesThatUsersNeedArePublic(t *testing.T) {
	t.Parallel()
	found, names := map[string]bool{}, 0
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && dir != "." {
			return fs.SkipDir // a module of its own
		}
		if slices.Contains([]string{"internal", "testdata", "examples", "docs"}, d.Name()) || strings.HasPrefix(d.Name(), ".") && dir != "." {
			return fs.SkipDir
		}
		n, library := exportedNames(t, dir)
		if !library {
			return nil
		}
		dir = filepath.ToSlash(dir)
		found[dir] = true
		if public[dir] == "" {
			t.Errorf("package %s is public: move it under internal/, or say in the list for whom it is", dir)
		}
		if !slices.Contains(apart, dir) {
			names += n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range public {
		if !found[dir] {
			t.Errorf("the list has package %s, which is not there", dir)
		}
	}
	if n := len(found) - len(apart); n > mostPackages {
		t.Errorf("%d packages are public besides %v, the maximum is %d", n, apart, mostPackages)
	}
	if names > mostNames {
		t.Errorf("they have %d names, %d are the most", names, mostNames)
	}
	if names < mostNames/2 {
		t.Errorf("%d names were counted: the test has lost the packages", names)
	}
}

// exportedNames counts the names of a package as go doc -short lists them: functions and
// types, and each declaration of constants or variables as one. It reports false for
// programs and for folders without a package.
func exportedNames(t *testing.T, dir string) (n int, library bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" {
			return 0, false
		}
		library = true
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					n++
				}
			case *ast.GenDecl:
				n += exportedOf(d)
			}
		}
	}
	return n, library
}

func exportedOf(d *ast.GenDecl) (n int) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
				return 1
			}
		}
	}
	return n
}
