package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// goCommand is a command of a page that runs, tests or builds packages of this repository.
	goCommand = regexp.MustCompile(`(?:cd (\S+) && )?\bgo(?: -C (\S+))? (run|test|build|install|vet) ([^\n` + "`" + `|#;)&]*)`)
	// script is a command of the Makefile or of a script with subcommands.
	script = regexp.MustCompile(`(?:^|[\s` + "`" + `(])(make|\./test\.sh|localstack/local\.sh) ([a-z][a-z-]*)`)
	// word is one argument, as a shell splits them.
	word = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	// flagDefined is the definition of a flag in Go source.
	flagDefined = regexp.MustCompile(`\w\.(?:Bool|String|Int|Int64|Uint|Uint64|Float64|Duration|Func|Text)(?:Var)?\((?:&[\w.\[\]]+, )?"([a-z-]+)"`)
	function    = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
)

// goFlags are those of go run and go test that pages use.
var goFlags = strings.Fields("run bench benchtime benchmem count timeout v race args tags fuzz fuzztime cpuprofile short list trimpath C skip vet h help artifacts outputdir cpu")

// Every module is built or vetted by test.sh, so a command of a page works if its package is there,
// takes its flags, and has the tests that it names. The pages of the guide show commands of a
// project of the reader's.
func TestEveryCommandThatADocumentShowsIsOfThisRepository(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, doc := range files(t, ".md") {
		if doc == "CHANGELOG.md" || strings.HasPrefix(doc, "docs/guide/") || strings.HasPrefix(doc, "cmd/turnstile/project/") {
			continue
		}
		for _, block := range code.FindAllString(read(t, doc), -1) {
			for _, m := range goCommand.FindAllStringSubmatch(block, -1) {
				in := strings.TrimPrefix(m[1], "turnstile") // a clone of the repository
				if complaint := goComplaint(t, path.Join(in, m[2]), m[3], m[4]); complaint != "" {
					t.Errorf("%s shows %q: %s", doc, strings.TrimSpace(m[0]), complaint)
				}
				seen["go"]++
			}
			for _, m := range script.FindAllStringSubmatch(block, -1) {
				if !hasCommand(t, m[1], m[2]) {
					t.Errorf("%s shows %s %s, and there is no such command", doc, m[1], m[2])
				}
				seen[m[1]]++
			}
		}
	}
	for _, of := range []string{"go", "make", "./test.sh", "localstack/local.sh"} {
		if seen[of] < 3 {
			t.Errorf("only %d commands of %s are found: the test has lost them", seen[of], of)
		}
	}
}

// goComplaint says what is wrong with a go command that runs in dir, or returns "".
func goComplaint(t *testing.T, dir, verb, text string) string {
	t.Helper()
	args := word.FindAllString(text, -1)
	for i := range args {
		args[i] = strings.Trim(args[i], `'"`)
	}
	if len(args) > 1 && args[0] == "-C" {
		dir, args = path.Join(dir, args[1]), args[2:]
	}
	var sources []string // of the packages
	var flags []string
	pattern := ""
	for i, arg := range args {
		switch name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); {
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			flags = append(flags, name)
			if name == "run" || name == "bench" {
				if value == "" && i+1 < len(args) {
					value = args[i+1]
				}
				pattern = value
			}
		case arg == "." || strings.HasPrefix(arg, "./"):
			at, below := strings.CutSuffix(arg, "...")
			found, err := filepath.Glob(filepath.Join(root, dir, at, "*.go"))
			if info, statErr := os.Stat(filepath.Join(root, dir, at)); err != nil || len(found) == 0 && (!below || statErr != nil || !info.IsDir()) {
				return "no package is in " + path.Join(dir, at)
			}
			sources = append(sources, found...)
			if below {
				return ""
			}
		}
	}
	if verb == "build" || verb == "vet" || verb == "install" {
		return ""
	}
	if len(sources) == 0 { // go test alone is of the package in dir.
		found, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(found) == 0 {
			return "no package is in " + dir
		}
		sources = found
	}
	var all strings.Builder
	for _, name := range sources {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		all.WriteByte('\n')
	}
	if verb == "run" && !strings.Contains(all.String(), "\npackage main\n") && !strings.HasPrefix(all.String(), "package main\n") {
		return "it is no command"
	}
	defined := slices.Clone(goFlags)
	for _, m := range flagDefined.FindAllStringSubmatch(all.String(), -1) {
		defined = append(defined, m[1])
	}
	for _, name := range flags {
		if !slices.Contains(defined, name) {
			return "it has no flag -" + name
		}
	}
	if verb != "test" || pattern == "" || pattern == "^$" || pattern == "XXX" {
		return ""
	}
	first, _, _ := strings.Cut(pattern, "/")
	tests, err := regexp.Compile(first)
	if err != nil {
		return err.Error()
	}
	for _, m := range function.FindAllStringSubmatch(all.String(), -1) {
		if tests.MatchString(m[1]) {
			return ""
		}
	}
	return "no test matches " + pattern
}

// hasCommand reports whether a Makefile has the target, or a script the subcommand.
func hasCommand(t *testing.T, of, name string) bool {
	t.Helper()
	switch of {
	case "./test.sh":
		return strings.Contains(read(t, "test.sh"), "\n"+name+")")
	case "localstack/local.sh":
		return strings.Contains(read(t, "localstack/local/__main__.py"), `"`+name+`"`)
	}
	target := regexp.MustCompile(`(?m)^` + name + `:`)
	return target.MatchString(read(t, "Makefile")) || target.MatchString(read(t, "cmd/turnstile/project/Makefile"))
}
