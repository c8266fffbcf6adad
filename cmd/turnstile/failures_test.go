package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestFailuresAreListedByCause(t *testing.T) {
	t.Parallel()
	for _, b := range []*bench{sampled(t), sampled(t).byConsole()} {
		golden(t, "failures.txt", b.ok("failures", "--since", "7d"))
		if out := b.ok("failures"); strings.Contains(out, "card declined") || !strings.Contains(out, "panic") {
			t.Errorf("of the last 24 hours are\n%s", out)
		}
		var l api.FailureList
		if err := json.Unmarshal([]byte(b.ok("failures", "--since", "7d", "--name", "Fulfil", "--output", "json")), &l); err != nil || len(l.Causes) < 2 {
			t.Fatalf("%v: %+v", err, l)
		}
		for _, c := range l.Causes {
			ids := b.ok("failures", "--since", "7d", "--cause", c.Key, "--ids")
			if want := strings.Join(c.Newest, "\n") + "\n"; ids != want {
				t.Errorf("of %s are %q, want %q", c.Key, ids, want)
			}
			if list := b.ok("failures", "--since", "7d", "--cause", c.Key); !strings.Contains(list, c.Newest[0]) {
				t.Errorf("of %s are listed\n%s", c.Key, list)
			}
		}
	}
}

func TestFailuresRefuseWhatTheyCannotBeAskedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fails(exitUsage, []string{"--ids needs --cause KEY"}, "failures", "--ids")
	b.fails(exitUsage, []string{"--since", "must be before"}, "failures", "--since", "1h", "--until", "2h")
	if r := b.run("failures"); !strings.Contains(r.err, "no failed, stuck or corrupt") || r.out != "" {
		t.Errorf("%s", r)
	}
}
