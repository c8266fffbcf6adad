// Package docs_test holds the documents against the repository: the tests that
// docs/internal/scenarios.md names exist and carry the ids, and no link is dead.
package docs_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "rewrite the column of tests in docs/internal/scenarios.md")

const root = ".."

// covered are the groups of scenarios.md, of which every scenario has a test.
const covered = "IRATEFPNKVSQMWLO"

// suites are folders of code that is all test, though its files are not named
// so: what every implementation of an interface has to pass.
var suites = []string{"internal/store/storetest", "internal/queue/queuetest", "internal/timer/timertest"}

var (
	row = regexp.MustCompile(`^\| ([A-Z]-\d\d) \| (.+) \|(.*)\|$`)
	// named is one test in the column: its file and the function.
	named = regexp.MustCompile("`([^` ]+) ([A-Za-z0-9_]+)`")
	// inText is an id in a comment, a subtest's name or an error's text.
	inText = regexp.MustCompile(`\b[A-Z]-\d\d\b`)
	// inName are ids at the beginning of a test function's name.
	inName = regexp.MustCompile(`^(?:Test|Fuzz)(?:Property|Surprise)?((?:[A-Z]\d\d)+)`)
)

// scenario is one row of scenarios.md.
type scenario struct {
	id, behaviour, tests string
}

func TestEveryScenarioHasTheTestsThatAreNamed(t *testing.T) {
	t.Parallel()
	tests := testsByScenario(t)
	doc := read(t, "docs/internal/scenarios.md")
	if *update {
		doc = withTests(doc, tests)
		if err := os.WriteFile(filepath.Join(root, "docs/internal/scenarios.md"), []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, s := range scenarios(doc) {
		if seen[s.id] {
			t.Errorf("%s stands twice in scenarios.md", s.id)
		}
		seen[s.id] = true
		named := named.FindAllStringSubmatch(s.tests, -1)
		if len(named) == 0 {
			t.Errorf("%s has no test: write one that carries the id, then run go test ./docs -update", s.id)
		}
		for _, n := range named {
			if !slices.Contains(tests[s.id], n[1]+" "+n[2]) {
				t.Errorf("%s: there is no %s in %s that carries the id: run go test ./docs -update", s.id, n[2], n[1])
			}
		}
	}
	for _, group := range covered {
		first := string(group) + "-01"
		if !seen[first] {
			t.Errorf("scenarios.md does not list %s: the test has lost the table", first)
		}
	}
	for id, places := range tests {
		if strings.Contains(covered, id[:1]) && !seen[id] {
			t.Errorf("%s is no scenario of scenarios.md, and stands in %s", id, strings.Join(places, ", "))
		}
	}
}

func scenarios(doc string) []scenario {
	var all []scenario
	for line := range strings.Lines(doc) {
		if m := row.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			all = append(all, scenario{m[1], m[2], m[3]})
		}
	}
	return all
}

// withTests returns the document with the column of tests as it should be.
func withTests(doc string, tests map[string][]string) string {
	var b strings.Builder
	for line := range strings.Lines(doc) {
		if m := row.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			names := make([]string, len(tests[m[1]]))
			for i, name := range tests[m[1]] {
				names[i] = "`" + name + "`"
			}
			line = fmt.Sprintf("| %s | %s | %s |\n", m[1], m[2], strings.Join(names, " "))
		}
		b.WriteString(line)
	}
	return b.String()
}

// testsByScenario returns for each id the declarations that carry it, as "file
// name", in order: in their name, their comment or their body. One that is no
// test of its own, such as a check of invariants, is called by tests.
func testsByScenario(t *testing.T) map[string][]string {
	t.Helper()
	byID := map[string]map[string]bool{}
	for _, name := range files(t, ".go") {
		if !strings.HasSuffix(name, "_test.go") && !slices.Contains(suites, path.Dir(name)) || path.Dir(name) == "docs" {
			continue
		}
		source := read(t, name)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			for declared, node := range declarations(d) {
				text := source[set.Position(node.Pos()).Offset:set.Position(node.End()).Offset]
				for _, id := range append(inText.FindAllString(text, -1), idsOf(declared)...) {
					if byID[id] == nil {
						byID[id] = map[string]bool{}
					}
					byID[id][name+" "+declared] = true
				}
			}
		}
	}
	tests := map[string][]string{}
	for id, places := range byID {
		tests[id] = slices.Sorted(maps.Keys(places))
	}
	return tests
}

// declarations returns what a declaration names: a function with its comment,
// or the variables that hold the cases of a suite.
func declarations(d ast.Decl) map[string]ast.Node {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc != nil {
			return map[string]ast.Node{d.Name.Name: commented{d}}
		}
		return map[string]ast.Node{d.Name.Name: d}
	case *ast.GenDecl:
		all := map[string]ast.Node{}
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				all[v.Names[0].Name] = v
			}
		}
		return all
	}
	return nil
}

// commented is a function from its comment on.
type commented struct{ *ast.FuncDecl }

func (c commented) Pos() token.Pos { return c.Doc.Pos() }

// idsOf returns the ids in the name of a test: TestW05K07… has two.
func idsOf(name string) []string {
	var ids []string
	if m := inName.FindStringSubmatch(name); m != nil {
		for i := 0; i < len(m[1]); i += 3 {
			ids = append(ids, m[1][i:i+1]+"-"+m[1][i+1:i+3])
		}
	}
	return ids
}

var (
	link    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	// code is what stands in a block, or between backticks.
	code  = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")
	fence = regexp.MustCompile("(?ms)^```.*?^```")
)

func TestNoLinkBetweenDocumentsIsDead(t *testing.T) {
	t.Parallel()
	links := 0
	for _, name := range files(t, ".md") {
		doc := code.ReplaceAllString(read(t, name), "")
		for _, m := range link.FindAllStringSubmatch(doc, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // Elsewhere.
			}
			links++
			to := name
			if target != "" {
				to = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			if anchor != "" && strings.HasSuffix(to, ".md") && !slices.Contains(anchors(read(t, to)), anchor) {
				t.Errorf("%s links to %s, and %s has no such heading", name, m[1], to)
			}
		}
	}
	if links < 5 {
		t.Errorf("looked at %d links only: the test has lost the documents", links)
	}
}

// anchors returns those of a document's headings, as they are made on GitHub: a
// heading that stands again gets a number.
func anchors(doc string) []string {
	var all []string
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(doc, ""), -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		n := seen[anchor]
		seen[anchor]++
		if n > 0 {
			anchor += fmt.Sprint("-", n)
		}
		all = append(all, anchor)
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files returns the paths from the root of all files with that extension,
// other than what was installed or generated.
func files(t *testing.T, extension string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (base == "testdata" || base[0] == '.') {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(base, extension) {
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			all = append(all, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
