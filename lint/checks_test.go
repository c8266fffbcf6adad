package lint

import (
	"os"
	"regexp"
	"slices"
	"strings"
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

// The code of the document is compiled and linted as package document.
func TestTheDocumentShowsWhatIsLinted(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, starts string }{
		{"bad.go", "func fulfil("},
		{"bad.go", "func charge("},
		{"good.go", "func (better) fulfil("},
	} {
		source, err := os.ReadFile("testdata/document/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(source), c.starts)
		body, _, ended := strings.Cut(rest, "\n}\n")
		body = regexp.MustCompile(" // want.*").ReplaceAllString(body, "")
		if !found || !ended || !strings.Contains(string(doc), body) {
			t.Errorf("docs/lint.md does not have the code that begins with %q in %s", c.starts, c.file)
		}
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
