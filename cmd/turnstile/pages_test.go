package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	flag "github.com/spf13/pflag"
)

// pages are the documents of this repository for readers, by their paths in it.
func pages(t *testing.T) map[string]string {
	t.Helper()
	return texts(t, func(name string) bool {
		return strings.HasSuffix(name, ".md") && name != "CHANGELOG.md" && name != "docs/internal/bugs.md"
	})
}

// sources are those of the packages that users and operators read.
func sources(t *testing.T) map[string]string {
	t.Helper()
	return texts(t, func(name string) bool {
		return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "tools/") && !strings.HasPrefix(name, "internal/simulation/")
	})
}

func texts(t *testing.T, of func(name string) bool) map[string]string {
	t.Helper()
	const root = "../.."
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || name == "tools/bench/peers"):
			return fs.SkipDir
		case !entry.IsDir() && of(name):
			text, err := os.ReadFile(path)
			all[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	fenced = regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```")
	inline = regexp.MustCompile("(?s)`([^`]+)`")
	// called is where a command line begins.
	called = regexp.MustCompile(`(?m)(?:^|[|(;&] ?|\$ )\s*turnstile +(\S.*)$`)
	// ofCommand is a command with a flag, without the name of the program.
	ofCommand = regexp.MustCompile(`^[a-z][a-z -]* --[a-z]`)
)

// commandLines are those of turnstile that a page shows: in blocks, in a sentence, and with the name of the program
// left out.
func commandLines(page string) (lines []string) {
	blocks := fenced.FindAllStringSubmatch(page, -1)
	for _, block := range blocks {
		for _, m := range called.FindAllStringSubmatch(strings.ReplaceAll(block[1], "\\\n", " "), -1) {
			lines = append(lines, m[1])
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := strings.Join(strings.Fields(m[1]), " ")
		if found := called.FindAllStringSubmatch(text, -1); len(found) > 0 {
			lines = append(lines, found[0][1])
		} else if ofCommand.MatchString(text) && isCommand(text) {
			lines = append(lines, text)
		}
	}
	return lines
}

// isCommand reports whether a text begins with the name of a command.
func isCommand(text string) bool {
	return slices.ContainsFunc(commands(), func(c *command) bool { return strings.HasPrefix(text, c.name+" ") })
}

// untilShellEnds returns a line up to where the shell ends the command, outside of quotes.
func untilShellEnds(line string) string {
	var quote rune
	before := ' '
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case strings.ContainsRune("|>;&)", r), r == '#' && before == ' ':
			return line[:i]
		}
		before = r
	}
	return line
}

// A page shows commands that there are, with flags that they have.
func TestEveryCommandAndFlagThatAPageNamesExists(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, page := range pages(t) {
		for _, line := range commandLines(page) {
			line = untilShellEnds(line)
			if strings.Contains(line, "[flags]") || strings.Contains(line, "dev: ") || strings.Contains(line, "…") {
				continue
			}
			seen++
			_, _, err := read(line)
			if _, placeholder := errors.AsType[*flag.InvalidValueError](err); err != nil && !placeholder {
				t.Errorf("%s: turnstile %s: %v", name, line, err)
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d command lines are found: the test has lost them", seen)
	}
}

// others are flags of other programs that texts name: aws, sam, git, DynamoDB Local, localstack/local.sh.
var others = strings.Fields("endpoint-url global-secondary-index-updates bucket create-bucket-configuration versioning-configuration table-name key time-to-live-specification service-code " +
	"stack-name parameter-overrides no-execute-changeset stdout no-index no-prefix db-filename port parameter template no-console no-deploy function-name query enable-termination-protection tags recursive")

// A flag that a text names, on a page or in a source, is one of turnstile, or of a program that is named here.
func TestEveryFlagThatATextNamesExists(t *testing.T) {
	t.Parallel()
	known := append(slices.Clone(others), "ended") // --ended-… is short for two flags.
	for _, cmd := range commands() {
		own, common := flagsOf(cmd)
		for _, flags := range []*flag.FlagSet{own, common} {
			flags.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		}
	}
	named := regexp.MustCompile(`(?:^|[^\w-])--([a-z](?:[a-z-]*[a-z])?)\b`)
	texts := map[string]string{}
	for name, page := range pages(t) {
		texts[name] = fenced.ReplaceAllString(page, "")
	}
	for name, source := range sources(t) {
		texts[name] = source
	}
	seen := 0
	for name, text := range texts {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if seen++; !slices.Contains(known, m[1]) {
				t.Errorf("%s: there is no flag --%s", name, m[1])
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d flags are found: the test has lost them", seen)
	}
}

// No page has the shell or xargs take ids apart.
func TestNoPageSplitsIDs(t *testing.T) {
	t.Parallel()
	splits := regexp.MustCompile(`turnstile[^\n]*\| *(xargs|while read)|\$\(turnstile [^)]*--ids`)
	for name, page := range pages(t) {
		if found := splits.FindString(strings.ReplaceAll(page, "\\\n", " ")); found != "" {
			t.Errorf("%s: %s: turnstile COMMAND - reads ids", name, found)
		}
	}
}
