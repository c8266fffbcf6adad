package main

import (
	"strings"
	"testing"
)

func TestDoctorReportsOnInstances(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	r := b.run("doctor", "--idle", "1s")
	for _, want := range []string{
		"problem\tinstances\t1 instance is stuck (panic): order-2\tfix the code", "problem\tinstances\t1 instance is corrupt (corrupt): order-4\t",
		"warning\tinstances\tthe records of 1 running instance have not changed for 1.0s: survey 1",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it says\n%s\nwithout %q", r.out, want)
		}
	}
	if r.status != exitFailed || !strings.Contains(r.err, "2 problems") {
		t.Errorf("%+v", r)
	}
	b.columns = 80
	golden(t, "doctor-80.txt", escape(b.run("doctor").out))
	well := newBench(t)
	if out := well.ok("doctor", "--output", "json"); !strings.Contains(out, `"problems": 0`) || !strings.Contains(out, `"level": "ok"`) {
		t.Errorf("it says\n%s", out)
	}
	well.fails(exitUsage, []string{"--idle"}, "doctor", "--idle", "0s")
}

// Each look that is refused, or finds nobody, is a finding of its own.
func TestDoctorContinuesWhereSomethingCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	outputs := complete()
	c := &cloud{outputs: outputs}
	r := runOn(t, c, nil, "--stack", "turnstile-dev", "doctor", "--output", "json")
	if r.status != exitFailed || !strings.Contains(r.out, "stack turnstile-dev is CREATE_COMPLETE") || !strings.Contains(r.out, "arn:aws:iam::123456789012:user/ada, in eu-central-1") || !strings.Contains(r.out, "lambda:ListEventSourceMappings") || !strings.Contains(r.out, `"level": "unknown"`) || !strings.Contains(r.out, `"area": "instances"`) {
		t.Errorf("%+v", r)
	}
	// Without a stack there is nothing to look at.
	if r := runOn(t, &cloud{}, nil, "doctor"); r.status != exitUsage || !strings.Contains(r.err, "no stack:") {
		t.Errorf("%+v", r)
	}
}
