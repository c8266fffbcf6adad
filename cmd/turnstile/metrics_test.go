package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestMetricsSayWhereTheTimeGoes(t *testing.T) {
	t.Parallel()
	for _, b := range []*bench{sampled(t), sampled(t).byConsole()} {
		golden(t, "metrics.txt", b.ok("metrics", "--since", "7d"))
		golden(t, "steps.txt", b.ok("metrics", "--since", "7d", "--name", "Fulfil"))
		var l api.StepList
		if err := json.Unmarshal([]byte(b.ok("metrics", "--since", "7d", "--name", "Fulfil", "--output", "json")), &l); err != nil || l.Name != "Fulfil" || l.Histories == 0 || len(l.Steps) == 0 {
			t.Errorf("%v: %+v", err, l)
		}
		if r := b.run("metrics", "--name", "None"); r.status != exitOK || r.out != "" || !strings.Contains(r.err, "no instance of this orchestration") {
			t.Errorf("%v", r)
		}
	}
}
