package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// escape makes colours readable in a golden file.
func escape(s string) string { return strings.ReplaceAll(s, "\x1b", "^") }

func TestTablesFitATerminalAndAreInColours(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	b.columns = 80
	golden(t, "list-80.txt", escape(b.ok("list")))
	b.env["NO_COLOR"] = "1"
	golden(t, "list-80-plain.txt", escape(b.ok("list")))
	for line := range strings.Lines(b.ok("list")) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
	if out := b.ok("list", "--color", "always"); !strings.Contains(out, "\x1b[31mstuck") {
		t.Errorf("--color always prints no colours:\n%s", out)
	}
	delete(b.env, "NO_COLOR")
	b.env["TERM"] = "dumb"
	if out := b.ok("list"); strings.Contains(out, "\x1b") {
		t.Errorf("a dumb terminal gets colours:\n%s", escape(out))
	}
	b.env["TERM"] = ""
	if out := b.ok("list", "--color", "never"); strings.Contains(out, "\x1b") {
		t.Errorf("--color never prints colours:\n%s", escape(out))
	}
}

func TestListCountsByStatus(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	if got, want := b.ok("list", "--count"), "running\t1\nstuck\t1\nsuspended\t0\nscheduled\t0\nqueued\t0\nforking\t0\ncorrupt\t1\ncompleted\t1\nfailed\t1\ncancelled\t0\nterminated\t0\ntotal\t5\n"; got != want {
		t.Errorf("counted are\n%s\nwant\n%s", got, want)
	}
	if got := b.ok("list", "--count", "--status", "stuck", "--name", "Fulfil"); got != "stuck\t1\n" {
		t.Errorf("counted are\n%s", got)
	}
	if out := b.ok("list", "--count", "--output", "json"); !strings.Contains(out, `"stuck": {`) || !strings.Contains(out, `"counted_at": "2030-01-01T12:00:00Z"`) {
		t.Errorf("counted are\n%s", out)
	}
	b.columns = 80
	b.env["NO_COLOR"] = "1"
	golden(t, "list-count.txt", b.ok("list", "--count"))
	b.fails(exitUsage, []string{"--count or --watch"}, "list", "--count", "--watch")
	b.fails(exitUsage, []string{"--all"}, "list", "--count", "--all")
}

func TestListWatchesTheFirstPage(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	looks := 0
	b.pause = func(ctx context.Context, d time.Duration) bool {
		if d != 2*time.Second {
			t.Errorf("it waits %s", d)
		}
		if looks++; looks == 1 {
			b.ok("list") // Nothing has changed.
		}
		return looks < 2
	}
	// Elsewhere than at a terminal what has changed is printed, once.
	if out := b.ok("list", "--watch"); strings.Count(out, "\n") != 5 || !strings.HasSuffix(out, "survey 1\tSurvey\trunning\t2030-01-01T11:59:57Z\t3s\t\n") {
		t.Errorf("it prints\n%s", out)
	}
	looks = 0
	if out := b.ok("list", "--watch", "--output", "json"); strings.Count(out, "\n") != 5 || !strings.HasPrefix(out, `{"instance":"order-4"`) {
		t.Errorf("it prints\n%s", out)
	}
	looks, b.columns = 0, 80
	out := b.ok("list", "--watch", "--name", "Survey")
	if strings.Count(out, "\x1b[H\x1b[2J") != 2 || !strings.Contains(out, "turnstile list --name Survey") {
		t.Errorf("it shows\n%s", escape(out))
	}
	b.fails(exitUsage, []string{"--every 100ms", "1s"}, "list", "--watch", "--every", "100ms")
}
