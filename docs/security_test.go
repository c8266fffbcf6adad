package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// testNamed is a test as documents name it: its file and its function.
	testNamed = regexp.MustCompile("`([^`\\s]+_test\\.go)\\s((?:Test|Fuzz|Benchmark)[A-Za-z0-9_]+)`")
	// fileNamed is a file of the tree, by its path.
	fileNamed = regexp.MustCompile("`([a-z][a-z0-9_./-]*/[a-z0-9_.-]+\\.(?:go|md|yaml|toml))[ `]")
)

// notTested begins a cell that says on what else a row rests.
const notTested = "not tested here"

func TestEveryTestThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	there := map[string][]string{} // the tests of a file
	count := map[string]int{}
	for _, doc := range files(t, ".md") {
		for _, m := range testNamed.FindAllStringSubmatch(read(t, doc), -1) {
			file, name := m[1], m[2]
			if _, ok := there[file]; !ok {
				there[file] = testsOf(t, file)
			}
			if !slices.Contains(there[file], name) {
				t.Errorf("%s names %s in %s, and there is no such test", doc, name, file)
			}
			count[doc]++
		}
	}
	if n := count["docs/internal/threats.md"]; n < 50 {
		t.Errorf("docs/internal/threats.md names %d tests only: this test no longer finds them", n)
	}
}

// TestEveryFileThatADocumentNamesExists: by its path from the root, or from the
// document. The guide names files of a project of the reader's, and the changelog
// those that are gone.
func TestEveryFileThatADocumentNamesExists(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, doc := range files(t, ".md") {
		if doc == "CHANGELOG.md" || strings.HasPrefix(doc, "docs/guide/") || strings.HasPrefix(doc, "cmd/turnstile/project/") {
			continue
		}
		for _, m := range fileNamed.FindAllStringSubmatch(read(t, doc), -1) {
			count[doc]++
			there := slices.ContainsFunc([]string{root, filepath.Join(root, path.Dir(doc))}, func(from string) bool {
				_, err := os.Stat(filepath.Join(from, filepath.FromSlash(m[1])))
				return err == nil
			})
			if !there {
				t.Errorf("%s names the file %s, which is not there", doc, m[1])
			}
		}
	}
	for _, doc := range []string{"docs/internal/threats.md", "docs/design.md", "docs/internal/scenarios.md"} {
		if count[doc] == 0 {
			t.Errorf("no file is found in %s: this test has lost it", doc)
		}
	}
}

// TestEveryRowOfTheThreatModelNamesItsEvidence: each row of a table of
// docs/security.md has a row under the same heading of docs/internal/threats.md. Each row
// there ends with the test that holds it, or says that there is none here, and on what the
// row rests.
func TestEveryRowOfTheThreatModelNamesItsEvidence(t *testing.T) {
	t.Parallel()
	heldBy := map[string]string{}
	for _, r := range rowsOf(read(t, "docs/internal/threats.md")) {
		held := r.cells[len(r.cells)-1]
		key := r.heading + ": " + r.cells[0]
		switch len(r.cells) {
		case 2:
			if _, twice := heldBy[key]; twice {
				t.Errorf("docs/internal/threats.md has the row %q twice", key)
			}
			heldBy[key] = held
		case 3: // What users need not know stands there alone.
		default:
			continue // The tests of sentences.
		}
		if !testNamed.MatchString(held) && !strings.HasPrefix(held, notTested+":") {
			t.Errorf("name the test (`package/file_test.go TestName`), or write %q and why that is so: %s", notTested+": …", key)
		}
	}
	rows := rowsOf(read(t, "docs/security.md"))
	for _, r := range rows {
		key := r.heading + ": " + r.cells[0]
		if heldBy[key] == "" {
			t.Errorf("docs/internal/threats.md has nothing behind the row %q of docs/security.md", key)
		}
		delete(heldBy, key)
	}
	for key := range heldBy {
		t.Errorf("docs/security.md has no row %q, which docs/internal/threats.md has", key)
	}
	if len(rows) < 30 {
		t.Errorf("looked at %d rows only: the test has lost the tables", len(rows))
	}
}

type tableRow struct {
	heading string
	cells   []string
}

// rowsOf returns the rows of all tables of a document, without their heads.
func rowsOf(doc string) []tableRow {
	var rows []tableRow
	under, inTable := "", false
	for line := range strings.Lines(doc) {
		line = strings.TrimSpace(line)
		if m := heading.FindStringSubmatch(line); m != nil {
			under = m[1]
		}
		if !strings.HasPrefix(line, "|") {
			inTable = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if !inTable || strings.Trim(cells[0], "-") == "" {
			inTable = true
			continue
		}
		rows = append(rows, tableRow{under, cells})
	}
	return rows
}

// testsOf returns the test functions of a file, none if it is not there.
func testsOf(t *testing.T, name string) []string {
	t.Helper()
	if !strings.HasSuffix(path.Base(name), "_test.go") {
		return nil
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests
}
