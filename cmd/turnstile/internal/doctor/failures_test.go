package doctor

import (
	"strings"
	"testing"
)

func TestInvocationsThatFailAndMessagesThatWaitForABuildAreFound(t *testing.T) {
	t.Parallel()
	well := []Invocations{{Role: "orchestrator", Name: "o"}, {Role: "activity", Name: "a"}, {Role: "activity:gpu", Name: "g"}}
	with := func(change func(f []Invocations)) []Invocations {
		f := append([]Invocations{}, well...)
		change(f)
		return f
	}
	for _, c := range []struct {
		name      string
		functions []Invocations
		heldUp    int
		level     string
		says      string
		advice    string
	}{
		{"all is well", well, 0, OK, "no invocation failed or was throttled in the last hour", ""},
		{"a crash", with(func(f []Invocations) { f[1].Failed = 1 }), 0, Warning, "1 invocations of the activity function failed", "--function-name a "},
		{"a function that does not start", with(func(f []Invocations) { f[2].Failed = 40 }), 0, Problem, "40 invocations of the activity:gpu function failed", "--function-name g "},
		{"no concurrency", with(func(f []Invocations) { f[0].Refused = 7 }), 0, Warning, "Lambda throttled 7 invocations of the orchestrator function", "concurrency"},
		{"an activity that is not registered", well, 4, Problem, "something that the deployed build lacks", "not_registered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := Failures(c.functions, c.heldUp)
			if len(found) != 1 || found[0].Level != c.level || !strings.Contains(found[0].Text, c.says) || !strings.Contains(found[0].Advice, c.advice) {
				t.Errorf("%+v", found)
			}
		})
	}
}
