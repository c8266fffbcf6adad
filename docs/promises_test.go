package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

// What is not promised is a list that one can know: twenty at most, over the users' page and the
// one with what is rare, each in three sentences.
func TestWhatIsNotPromisedIsShort(t *testing.T) {
	t.Parallel()
	_, promises, found := strings.Cut(read(t, "docs/reliability.md"), "## What is not promised\n")
	if !found {
		t.Fatal("docs/reliability.md has no list of what is not promised")
	}
	promises, _, _ = strings.Cut(promises, "\n## ")
	all, sentence := 0, regexp.MustCompile(`[.?!](?:\s|$)`)
	for _, page := range []string{promises, read(t, "docs/internal/rare.md")} {
		items := regexp.MustCompile(`(?m)^- (?:[^\n]+\n?)(?:  [^\n]+\n?)*`).FindAllString(page, -1)
		if len(items) < 5 {
			t.Errorf("%d items were found: the test has lost the list", len(items))
		}
		all += len(items)
		last := items[len(items)-1]
		if rest := page[strings.LastIndex(page, last)+len(last):]; len(sentence.FindAllString(rest, -1)) > 1 {
			t.Errorf("what stands behind the list is not counted: %s", rest)
		}
		for _, item := range items {
			text := regexp.MustCompile(`^- \*\*[^*]+\.\*\*`).ReplaceAllString(item, "")
			if n := len(sentence.FindAllString(text, -1)); n > 3 {
				t.Errorf("%d sentences, three are the most: %s", n, item)
			}
		}
	}
	t.Log(all, "things are not promised")
	if all > 20 {
		t.Errorf("%d things are not promised, twenty are the most", all)
	}
}
