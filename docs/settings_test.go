package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/turnstile-go/turnstile/host"
)

const settingsPage = "docs/settings.md"

// The two generated parts of docs/settings.md are what the code says: the variables that
// package awslambda reads, and the fields of host.Settings with their defaults.
func TestTheSettingsPageAgreesWithTheCode(t *testing.T) {
	t.Parallel()
	page := read(t, settingsPage)
	for _, part := range []struct{ name, text string }{
		{"variables", variablesTable(t)},
		{"settings", settingsTables(t)},
	} {
		start, end := "<!-- "+part.name+": made by go test ./docs -update -->\n\n", "\n<!-- end of "+part.name+" -->"
		head, rest, found := strings.Cut(page, start)
		got, tail, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("%s has no part %q between %q and %q", settingsPage, part.name, start, end)
		}
		if got != part.text && !*update {
			t.Errorf("%s: the part %q is not what the code says: run go test ./docs -update", settingsPage, part.name)
		}
		page = head + start + part.text + end + tail
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, settingsPage), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	// variableOf is the comment beside a field of awslambda.Config: who needs the
	// variable, its name, and what it may be.
	variableOf = regexp.MustCompile(`^([oac ]+?) +(TURNSTILE_[A-Z_]+)(?:, (.*))?$`)
	// variableOfAll is a line of the comment on awslambda.Config.
	variableOfAll = regexp.MustCompile(`(?m)^\t(TURNSTILE_[A-Z_]+) +(.*)$`)
	// inTemplateSet is what template.yaml sets a variable to.
	inTemplateSet = regexp.MustCompile(`(?m)^ +(TURNSTILE_[A-Z_]+): (?:!If \[Has\w+, )?!(Ref|GetAtt) (\w+)`)
)

// variablesTable has a row for each variable that a process on AWS reads.
func variablesTable(t *testing.T) string {
	t.Helper()
	template := read(t, "template.yaml")
	parameters := map[string]bool{}
	head, _, _ := strings.Cut(template, "\nConditions:")
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Z]\w+):$`).FindAllStringSubmatch(head, -1) {
		parameters[m[1]] = true
	}
	set := map[string]string{}
	for _, m := range inTemplateSet.FindAllStringSubmatch(template, -1) {
		if parameters[m[3]] {
			set[m[1]] = "parameter `" + m[3] + "`"
		} else {
			set[m[1]] = "`" + m[3] + "`"
		}
	}
	if strings.Contains(template, `TURNSTILE_ACTIVITY_QUEUES: ""`) {
		set["TURNSTILE_ACTIVITY_QUEUES"] = "`turnstile queue add`"
	}
	var b strings.Builder
	b.WriteString("| variable | orchestrator | activities | client | the template sets it from | values |\n| --- | --- | --- | --- | --- | --- |\n")
	rows := 0
	row := func(name, who, values string) {
		rows++
		from := set[name]
		if from == "" {
			t.Errorf("template.yaml sets %s nowhere", name)
		}
		mark := func(letter string) string {
			if strings.Contains(who, letter) {
				return "yes"
			}
			return ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, mark("o"), mark("a"), mark("c"), from, strings.ReplaceAll(strings.TrimPrefix(values, "optional, "), "for c", "for a client"))
	}
	doc, fields := structOf(t, "awslambda/environment.go", "Config")
	for _, m := range variableOfAll.FindAllStringSubmatch(doc, -1) {
		row(m[1], "oac", strings.ReplaceAll(m[2], ";", ","))
	}
	for _, f := range fields {
		if m := variableOf.FindStringSubmatch(strings.TrimSpace(f.Comment.Text())); m != nil {
			values := m[3]
			if values == "" {
				values = "required"
			}
			row(m[2], m[1], values)
		}
	}
	if rows < 25 {
		t.Errorf("found %d variables only: the test has lost package awslambda", rows)
	}
	return b.String()
}

// settingsTables has a table for each group of host.Settings.
func settingsTables(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	groups := []struct {
		typ, prefix string
		value       reflect.Value
	}{{"Settings", "", reflect.ValueOf(host.DefaultSettings())}}
	for i := range groups[0].value.NumField() {
		if f := groups[0].value.Field(i); f.Kind() == reflect.Struct {
			groups = append(groups, struct {
				typ, prefix string
				value       reflect.Value
			}{f.Type().Name(), groups[0].value.Type().Field(i).Name + ".", f})
		}
	}
	for _, g := range groups {
		if g.prefix != "" {
			fmt.Fprintf(&b, "\n**`%s`**\n\n", strings.TrimSuffix(g.prefix, "."))
		}
		b.WriteString("| setting | default | what it does |\n| --- | --- | --- |\n")
		_, fields := structOf(t, "host/settings.go", g.typ)
		for i := 0; i < len(fields); {
			var names, defaults []string
			text := fields[i].Doc.Text()
			// Fields that a comment describes together stand one below the other.
			first := i
			for ; i < len(fields) && (i == first || fields[i].Doc == nil); i++ {
				for _, n := range fields[i].Names {
					if v := g.value.FieldByName(n.Name); v.Kind() != reflect.Struct {
						names = append(names, "`"+g.prefix+n.Name+"`")
						defaults = append(defaults, valueText(v))
					}
				}
			}
			if len(names) > 0 {
				text = strings.TrimPrefix(text, fields[first].Names[0].Name+" is ")
				fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names, ", "), strings.Join(slices.Compact(defaults), ", "), sentences(text))
			}
		}
	}
	return b.String()
}

// defaultIn is the part of a comment that the column of defaults says.
var defaultIn = regexp.MustCompile(`Defaults? \d(?:[^:;,.]|,\d)*[;.] ?`)

// sentences makes one line of the first sentence of a comment, and of those that say what
// special values mean. Its default has a column; the rest is in the doc comment.
func sentences(text string) string {
	text = defaultIn.ReplaceAllString(strings.Join(strings.Fields(text), " "), "\x00")
	var kept []string
	for part := range strings.SplitSeq(text, "\x00") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		part = string(unicode.ToUpper(rune(part[0]))) + part[1:]
		for _, sentence := range strings.SplitAfter(part, ". ") {
			sentence = strings.TrimSpace(sentence)
			if len(kept) == 0 || special.MatchString(sentence) {
				kept = append(kept, sentence)
			}
		}
	}
	return strings.NewReplacer("[", "", "]", "", "|", `\|`).Replace(strings.Join(kept, " "))
}

// special begins a sentence of a comment on what values mean or may be.
var special = regexp.MustCompile(`^(Negative|0 |With 1|At least|Default|On Lambda|It must|[A-Z]\w+ (is|are) )`)

func valueText(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok {
		for _, u := range []struct {
			unit time.Duration
			name string
		}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
			if d != 0 && d%u.unit == 0 {
				return fmt.Sprintf("%d %s", d/u.unit, u.name)
			}
		}
	}
	if v.IsZero() && v.CanInt() {
		return "0"
	}
	digits := fmt.Sprint(v.Interface())
	if v.CanInt() {
		for i := len(digits) - 3; i > 0; i -= 3 {
			digits = digits[:i] + "," + digits[i:]
		}
	}
	return digits
}

// structOf returns the comment on a struct and its fields.
func structOf(t *testing.T, file, name string) (string, []*ast.Field) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, read(t, file), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			if spec, ok := s.(*ast.TypeSpec); ok && spec.Name.Name == name {
				if body, ok := spec.Type.(*ast.StructType); ok {
					return decl.Doc.Text(), body.Fields.List
				}
			}
		}
	}
	t.Fatalf("%s has no struct %s", file, name)
	return "", nil
}

// ownVariable is the name of an environment variable as a whole string of Go.
var ownVariable = regexp.MustCompile(`"(TURNSTILE_[A-Z_]*[A-Z])"`)

// Every variable that a user can set stands on the page, and each that the page names is
// read by code. Left out are folders whose variables are for people who work on Turnstile.
func TestTheSettingsPageNamesEveryVariable(t *testing.T) {
	t.Parallel()
	page := read(t, settingsPage)
	readBy := map[string]string{}
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "tools/") || strings.HasPrefix(name, "internal/simulation/") || path.Dir(name) == "internal/kept" || path.Dir(name) == "internal/stage" {
			continue
		}
		for _, m := range ownVariable.FindAllStringSubmatch(read(t, name), -1) {
			readBy[m[1]] = name
		}
	}
	for variable, where := range readBy {
		if !strings.Contains(page, "`"+variable+"`") {
			t.Errorf("%s does not name %s, which %s reads", settingsPage, variable, where)
		}
	}
	for _, m := range regexp.MustCompile("`(TURNSTILE_[A-Z_]+)`").FindAllStringSubmatch(page, -1) {
		if readBy[m[1]] == "" && !strings.Contains(read(t, "awslambda/environment.go"), m[1]) {
			t.Errorf("%s names %s, which no code reads", settingsPage, m[1])
		}
	}
	if len(readBy) < 30 {
		t.Errorf("found %d variables only: the test has lost the code", len(readBy))
	}
}
