package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A tag of an action can be moved to other code, which then runs with what the workflow
// may do; a commit can't.
func TestWorkflowsNameTheirActionsByCommit(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../.github/workflows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	uses, pinned := regexp.MustCompile(`(?m)^.*\buses:.*$`), regexp.MustCompile(`uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+(:.*)?$`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range uses.FindAllString(string(text), -1) {
			found++
			if !pinned.MatchString(line) {
				t.Errorf("%s: %s: name the commit, and its version behind it", file, line)
			}
		}
	}
	if found == 0 {
		t.Error("no workflow uses an action: this test looks for the wrong thing")
	}
}
