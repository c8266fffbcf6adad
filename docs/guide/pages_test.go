package guide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every block of Go of the guide stands in a compiled file of this folder. The
// code of others is fenced as golang, and on their pages it stands among the
// tasks of the peers.
func TestTheCodeOfTheGuideIsCompiled(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 2 {
		t.Fatalf("there are %d pages, %v", len(pages), err)
	}
	compiled := map[string]string{"go": all(t, "*_test.go"), "golang": all(t, tasksOfPeers+"*/*.go")}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for fence, sources := range compiled {
			if fence == "golang" && !strings.HasPrefix(page, "from-") {
				continue
			}
			for i, block := range strings.Split("\n"+string(data), "\n```"+fence+"\n")[1:] {
				code, _, closed := strings.Cut(block, "\n```")
				if !closed {
					t.Errorf("%s: block %d has no end", page, i+1)
				}
				if !strings.Contains(sources, code+"\n") {
					t.Errorf("%s: block %d of %s is not in a compiled file:\n%s", page, i+1, fence, code)
				}
			}
		}
	}
}

// all is what the files have, one after the other.
func all(t *testing.T, pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file is %s, %v", pattern, err)
	}
	var text strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	return text.String()
}
