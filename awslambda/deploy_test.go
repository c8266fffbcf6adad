package awslambda_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// parameterRow is one of the table in docs/settings.md: name, default, what it
// does, what it costs.
var parameterRow = regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\| (none|`[^`]+`) \\| ([^|]+\\.) \\| ([^|]*)\\|$")

func TestTheTableListsEveryParameterWithItsDefault(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range parameterRow.FindAllSubmatch(text, -1) {
		rows[string(m[1])] = string(m[2])
	}
	parameters := readTemplate(t).at("Parameters").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		p := parameters[name].(map[string]any)
		want := "none"
		if d := fmt.Sprint(p["Default"]); d != "" {
			want = "`" + d + "`"
		}
		if got, ok := rows[name]; !ok {
			t.Errorf("docs/settings.md: the table of parameters has no row `%s` | %s | what it does. | what it costs |", name, want)
		} else if got != want {
			t.Errorf("docs/settings.md says that the default of %s is %s; it is %s", name, got, want)
		}
		if p["Description"] == nil {
			t.Errorf("template.yaml: parameter %s has no description", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("docs/settings.md has the parameter %s, template.yaml does not", name)
	}
}
