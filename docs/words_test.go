package docs_test

import (
	"path"
	"regexp"
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

// mostPages is how many pages users have. What a new page would say may have its place on one of
// these.
const mostPages = 47

// The users' pages are those of the menu of the site.
func TestTheUsersPagesAreFew(t *testing.T) {
	t.Parallel()
	pages := len(regexp.MustCompile(`", "([^"]+\.md)"\}`).FindAllString(read(t, "tools/site/pages.go"), -1))
	if pages > mostPages || pages < 30 {
		t.Errorf("users have %d pages, %d are the most: merge what is one topic", pages, mostPages)
	}
}

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
