package main

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/stage"
)

// The program that go vet is given is this test, which TestMain makes behave
// as main does.
func TestLint(t *testing.T) {
	stage.Builds(t)
	for name, c := range map[string]struct {
		args   []string
		status int
		shows  []string
	}{
		"findings are shown and fail it": {
			args: []string{"lint", "./silenced", "./fine"}, status: exitFailed,
			shows: []string{"silenced.go:29:6: clock: time.Now reads the wall clock; use turnstile.Now", "turnstile: lint: see the findings above"},
		},
		"no findings are shown by nothing": {args: []string{"lint", "./fine"}},
		"findings as JSON":                 {args: []string{"--output", "json", "lint", "./silenced"}, shows: []string{`"turnstile": [`, `"message": "clock: time.Now reads the wall clock`}},
		"a package that is not there":      {args: []string{"lint", "./missing"}, status: exitFailed, shows: []string{"missing"}},
		"a flag is no package":             {args: []string{"lint", "--what"}, status: exitUsage, shows: []string{"-what"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			t.Setenv("GOWORK", "off") // It is a module of somebody else's.
			t.Chdir("../../lint/testdata")
			r := b.run(c.args...)
			if r.status != c.status {
				t.Errorf("exit status %d, want %d", r.status, c.status)
			}
			for _, want := range c.shows {
				if !strings.Contains(r.out+r.err, want) {
					t.Errorf("it does not show %q:\n%s%s", want, r.out, r.err)
				}
			}
			if len(c.shows) == 0 && r.out+r.err != "" {
				t.Errorf("it shows\n%s%s", r.out, r.err)
			}
		})
	}
}

func TestACallOfGoVetIsDistinguishedFromAPersons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want bool
	}{
		{"-V=full", true},
		{"-flags", true},
		{"/tmp/b001/vet.cfg", true},
		{"-json /tmp/b001/vet.cfg", true},
		{"", false},
		{"list", false},
		{"start Fulfil --input order.cfg", false},
		{"--stack turnstile list", false},
	} {
		if got := isVetTool(strings.Fields(c.args)); got != c.want {
			t.Errorf("turnstile %s: %v, want %v", c.args, got, c.want)
		}
	}
}
