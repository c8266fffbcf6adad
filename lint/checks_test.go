package lint

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestEachCheckHasItsRowInTheDocument(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []check
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		rows = append(rows, check(m[1]))
	}
	if want := append(slices.Clone(checks), allow); !slices.Equal(rows, want) {
		t.Errorf("docs/lint.md has rows of %v, and the checks are %v", rows, want)
	}
}

func TestEachCheckSaysWhatToUseInstead(t *testing.T) {
	t.Parallel()
	for _, c := range checks {
		if c.instead() == "" {
			t.Errorf("%s says nothing", c)
		}
	}
}
