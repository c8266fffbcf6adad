package docs_test

import (
	"path"
	"strings"
	"testing"
)

// A page of docs or docs/guide that the menu of the site does not have would not be built.
func TestEveryUsersPageIsInTheMenuOfTheSite(t *testing.T) {
	t.Parallel()
	menu, seen := read(t, "tools/site/pages.go"), 0
	for _, name := range files(t, ".md") {
		// The design is for people who work on Turnstile.
		if dir := path.Dir(name); dir != "docs" && dir != "docs/guide" || name == "docs/design.md" {
			continue
		}
		seen++
		if !strings.Contains(menu, `"`+name+`"`) {
			t.Errorf("%s is not in the menu of tools/site/pages.go", name)
		}
	}
	if seen < 30 {
		t.Errorf("found %d pages only: the test has lost them", seen)
	}
}
