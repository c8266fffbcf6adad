package main

import (
	"strings"
	"testing"
)

func TestWhatIsNearIsNamed(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	for _, c := range []struct {
		args string
		says []string
	}{
		{"lst", []string{`unknown command "lst"`, "did you mean list?"}},
		{"--output json descirbe x", []string{`unknown command "descirbe"`, "did you mean describe?"}},
		{"signal order-1 x", []string{"did you mean raise?"}},
		{"kill order-1", []string{"did you mean terminate?"}},
		{"help hist", []string{`unknown command "hist"`, "did you mean history?"}},
		{"dead-letter lits", []string{`unknown command "dead-letter lits"`, "did you mean list?", "list, show, redrive, delete"}},
		{"list --satus stuck", []string{"unknown flag --satus", "did you mean --status?"}},
		{"list --status stuk", []string{`--status "stuk": must be one of running, stuck`, "did you mean stuck?"}},
		{"list --output jsn", []string{"did you mean json?"}},
		{"list --color on", []string{`--color "on": must be one of auto, always, never`}},
		{"list --limit", []string{"--limit needs a value", "1000"}},
		{"wait x --timeout 5", []string{`--timeout "5"`, "90s"}},
		{"list --all=perhaps", []string{`--all "perhaps"`, "true or false"}},
		{"quux", []string{`unknown command "quux"`}},
	} {
		b.fails(exitUsage, c.says, strings.Fields(c.args)...)
	}
	if r := b.run("quux"); strings.Contains(r.err, "did you mean") {
		t.Errorf("nothing is near: %s", r.err)
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if out := b.ok("--version"); out != b.ok("version") || !strings.HasPrefix(out, "turnstile ") || !strings.Contains(out, " go1.") {
		t.Errorf("--version prints %q", out)
	}
	if out := b.ok("version", "--output", "json"); !strings.Contains(out, `"go": "go1.`) {
		t.Errorf("as JSON it is %s", out)
	}
}
