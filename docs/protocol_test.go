package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/mutation"
)

// mostWords is how long the page of the protocol may be: its words without the pictures and
// the bars of its tables.
const mostWords = 1500

// mostRules is how many rules of all pages one maintainer can hold.
const mostRules = 200

var (
	pictures = regexp.MustCompile("(?s)```mermaid.*?```")
	words    = regexp.MustCompile(`\S*[\pL\pN]\S*`)
)

// Each rule of docs/internal/protocol.md names a file that is there, a test that is there, and a
// bug that is planted.
func TestEveryRuleOfTheProtocolHasItsFileTestAndMutation(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/internal/protocol.md")
	if n := len(words.FindAllString(pictures.ReplaceAllString(page, ""), -1)); n > mostWords {
		t.Errorf("the page has %d words, %d are the most", n, mostWords)
	}
	rules, unplanted := lookAtRules(t, page)
	if rules < 20 || unplanted > 0 {
		t.Errorf("%d rules were looked at, %d of them without a mutation: the test has lost the tables, or a rule its bug", rules, unplanted)
	}
}

// So it is with those of restart, redrive, forks, suspend and purge, with those of schedules, retention
// and events about instances, and with those of queues and limits; of the last two some are held by a test alone.
func TestEveryRuleOfLaterLifeNamesItsFileAndTest(t *testing.T) {
	t.Parallel()
	all, _ := lookAtRules(t, read(t, "docs/internal/protocol.md"))
	for page, of := range map[string]struct{ least, unplanted int }{"later-life": {50, 15}, "again": {45, 0}, "limits": {40, 14}} {
		rules, unplanted := lookAtRules(t, read(t, "docs/internal/"+page+".md"))
		if rules < of.least || unplanted > of.unplanted {
			t.Errorf("%s: %d rules were looked at, %d of them without a mutation", page, rules, unplanted)
		}
		all += rules
	}
	if all > mostRules {
		t.Errorf("there are %d rules, %d are the most: merge those that say one thing", all, mostRules)
	}
}

// lookAtRules looks at the tables of rules of a page: their files, tests and mutations are there.
// A cell may have several files or tests, or several mutations, which semicolons separate.
// It counts the rules, and those without a mutation.
func lookAtRules(t *testing.T, page string) (rules, unplanted int) {
	t.Helper()
	tests := testFunctions(t)
	mutations := map[string]bool{}
	for _, m := range mutation.All() {
		mutations[m.Name] = true
	}
	inRules := false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.HasPrefix(line, "|") {
			inRules = false
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		rule, files, proofs, planted := cells[0], strings.Split(cells[1], "` `"), strings.Split(cells[2], "` `"), cells[3]
		if rule == "rule" || strings.HasPrefix(rule, "---") {
			inRules = true
			continue
		}
		if !inRules {
			continue
		}
		rules++
		for _, file := range files {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: %v", rule, err)
			}
		}
		for _, test := range proofs {
			if !tests[test] {
				t.Errorf("%s: there is no %s", rule, test)
			}
		}
		if planted == "" {
			unplanted++
			continue
		}
		for bug := range strings.SplitSeq(planted, "; ") {
			if !mutations[bug] {
				t.Errorf("%s: no mutation is called %q", rule, bug)
			}
		}
	}
	return rules, unplanted
}

// testFunctions are the names of all tests of the module.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	name := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range name.FindAllSubmatch(text, -1) {
			all[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
