package docs_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostToDeploy is how many words lead from a clone to a first deployment.
const mostToDeploy = 6000

func TestAFirstDeploymentTakesFewWords(t *testing.T) {
	t.Parallel()
	words := 0
	for _, name := range []string{"README.md", "docs/guide/getting-started.md", "docs/deploy.md"} {
		n := len(strings.Fields(read(t, name)))
		t.Logf("%s: %d words", name, n)
		words += n
	}
	if words > mostToDeploy || words < 1000 {
		t.Errorf("README, getting started and deploy have %d words, %d are the most", words, mostToDeploy)
	}
}

// mostInPages is how many words the users' pages have together. It is lowered whenever they are
// cut: what one page says, another page links.
const mostInPages = 29300

// mostOfOneSystem is how many words a page has for those who come from another system. These pages
// are not in the sum.
const mostOfOneSystem = 650

// references are the pages that are looked up and not read.
var references = []string{"docs/cli.md", "docs/settings.md", "docs/messages.md", "docs/console-api.md"}

// The users' pages, which are those of the menu of the site without the references, have so many
// words outside of blocks of code.
func TestTheUsersPagesHaveFewWords(t *testing.T) {
	t.Parallel()
	words, pages := 0, 0
	for _, m := range regexp.MustCompile(`", "([^"]+\.md)"\}`).FindAllStringSubmatch(read(t, "tools/site/pages.go"), -1) {
		if slices.Contains(references, m[1]) {
			continue
		}
		pages++
		n := len(strings.Fields(block.ReplaceAllString(read(t, m[1]), "")))
		t.Logf("%5d words in %s", n, m[1])
		if strings.HasPrefix(m[1], "docs/guide/from-") { // a reader comes from one system
			if n > mostOfOneSystem {
				t.Errorf("%s has %d words, %d are the most", m[1], n, mostOfOneSystem)
			}
			continue
		}
		words += n
	}
	t.Log(words, "words in", pages, "pages")
	if pages < 35 || words < 10000 {
		t.Errorf("found %d words in %d pages only: the test has lost them", words, pages)
	}
	if words > mostInPages {
		t.Errorf("the users' pages have %d words, %d are the most: say it once, and link it", words, mostInPages)
	}
}

// block is one of code, also in a list.
var block = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")

// Tests stand in the pages of contributors: docs/internal and docs/design.md.
func TestUsersPagesNameNoTests(t *testing.T) {
	t.Parallel()
	pages := 0
	for _, name := range files(t, ".md") {
		if dir := path.Dir(name); name != "README.md" && dir != "docs" && dir != "docs/guide" || name == "docs/design.md" {
			continue
		}
		pages++
		for _, m := range testNamed.FindAllString(read(t, name), -1) {
			t.Errorf("%s names the test %s: a page of docs/internal is the place for it", name, m)
		}
	}
	if pages < 30 {
		t.Errorf("found %d pages only: the test has lost them", pages)
	}
}
