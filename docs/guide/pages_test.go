package guide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every block of Go of the guide stands in a compiled file of this folder; the
// code of others is fenced as golang.
func TestTheCodeOfTheGuideIsCompiled(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 2 {
		t.Fatalf("there are %d pages, %v", len(pages), err)
	}
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var compiled strings.Builder
	for _, file := range sources {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compiled.Write(data)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split("\n"+string(data), "\n```go\n")[1:] {
			code, _, closed := strings.Cut(block, "\n```")
			if !closed {
				t.Errorf("%s: block %d has no end", page, i+1)
			}
			if !strings.Contains(compiled.String(), code+"\n") {
				t.Errorf("%s: block %d is not in a compiled file of this folder:\n%s", page, i+1, code)
			}
		}
	}
}
