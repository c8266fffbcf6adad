package page_test

import (
	"flag"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of modules into index.html")

// The document names every module that the page begins with, so that a browser
// asks for all of them at once: else it finds them import by import, a round trip
// each.
func TestTheDocumentPreloadsEachModule(t *testing.T) {
	t.Parallel()
	const start, end = "<!-- modules, written by go test ./internal/console/page -update -->\n", "<!-- end of modules -->"
	files := read(t)
	found := map[string]bool{}
	reach(files, "app.js", found)
	if len(found) < 50 {
		t.Fatalf("app.js leads to %d modules only: the test has lost the source", len(found))
	}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list.WriteString(`<link rel="modulepreload" href="` + name + `">` + "\n")
	}
	before, rest, ok := strings.Cut(files["index.html"], start)
	have, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("index.html lacks the lines %q and %q", start, end)
	}
	if have == list.String() {
		return
	}
	if !*update {
		t.Fatal("index.html does not name the modules that there are: run go test ./internal/console/page -update")
	}
	if err := os.WriteFile("index.html", []byte(before+start+list.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// reach adds a module and all that it imports.
func reach(files map[string]string, name string, found map[string]bool) {
	if found[name] {
		return
	}
	found[name] = true
	for _, m := range imported.FindAllStringSubmatch(files[name], -1) {
		reach(files, path.Join(path.Dir(name), m[1]), found)
	}
}
