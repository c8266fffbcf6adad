package page_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// sectionsOf are the anchors that the forge makes of the headings of a document,
// and the heading of each. A second one of a name gets a number.
func sectionsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gone := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	seen, sections := map[string]int{}, map[string]string{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		slug := strings.ReplaceAll(gone.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")
		anchor := slug
		if n := seen[slug]; n > 0 {
			anchor += "-" + strconv.Itoa(n)
		}
		seen[slug]++
		sections[anchor] = heading[1]
	}
	return sections
}

// Each reason that the page links has a section of its own in the documentation,
// and each that the code has is linked.
func TestWhatIsWrongIsLinkedToItsSection(t *testing.T) {
	t.Parallel()
	source := read(t)["docs.js"]
	pages := map[string]string{"problems": "docs/guide/stuck.md", "letters": "docs/troubleshooting.md"}
	paths := regexp.MustCompile(`/blob/main/(\S+)"`).FindAllStringSubmatch(source, -1)
	if len(paths) != 2 || paths[0][1] != pages["problems"] || paths[1][1] != pages["letters"] {
		t.Errorf("it links %v", paths)
	}
	linked := map[string]map[string]string{}
	for _, table := range regexp.MustCompile(`(?s)const (\w+) = \{(.*?)\};`).FindAllStringSubmatch(source, -1) {
		linked[table[1]] = map[string]string{}
		for _, pair := range regexp.MustCompile(`"?(\w*)"?: "([\w-]+)"`).FindAllStringSubmatch(table[2], -1) {
			linked[table[1]][pair[1]] = pair[2]
		}
	}
	problems := []string{string(engine.StuckNondeterminism), string(engine.StuckPanic), string(engine.StuckNotRegistered), string(engine.StuckBlocked),
		string(engine.StuckDeadlock), string(engine.StuckLimit), "killed", "corrupt"}
	letters := []string{""}
	for _, r := range wire.Reasons() {
		letters = append(letters, string(r))
	}
	words := read(t)["deadletters.js"]
	for _, r := range letters[1:] {
		if !regexp.MustCompile(`(?m)^  ` + r + `: "`).MatchString(words) {
			t.Errorf("deadletters.js has no words for %s", r)
		}
	}
	for table, reasons := range map[string][]string{"problems": problems, "letters": letters} {
		sections := sectionsOf(t, "../../../"+pages[table])
		if len(linked[table]) != len(reasons) {
			t.Errorf("%s links %d reasons, and there are %d: %v", table, len(linked[table]), len(reasons), linked[table])
		}
		for _, reason := range reasons {
			want := "`" + reason + "`"
			if reason == "" {
				want = "no reason"
			}
			if anchor := linked[table][reason]; sections[anchor] != want {
				t.Errorf("%s: %q leads to #%s, whose heading is %q", table, reason, anchor, sections[anchor])
			}
		}
	}
}
