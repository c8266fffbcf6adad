// Package document holds the parts of documents that tests make: what was counted
// is what the page says.
package document

import (
	"os"
	"strings"
	"testing"
)

// Hold fails the test if the part of a document that a command makes is not text;
// with update it writes it there. The part stands between two comments:
//
//	<!-- name: made by command -->
//
//	<!-- end of name -->
func Hold(t testing.TB, file, name, command, text string, update bool) {
	t.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": made by "+command+" -->\n\n", "\n<!-- end of "+name+" -->"
	head, rest, found := strings.Cut(string(document), begin)
	got, tail, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no part %q: it needs a line %q and one %q", file, name, strings.TrimSpace(begin), strings.TrimSpace(end))
	case update:
		if err := os.WriteFile(file, []byte(head+begin+text+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != text:
		t.Errorf("%s does not say what was counted (%s writes it):\n%s", file, command, text)
	}
}
