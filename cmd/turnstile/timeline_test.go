package main

import (
	"strings"
	"testing"
)

func TestTheTimelineIsDrawnToFit(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	b.columns = 80
	golden(t, "timeline-80.txt", escape(b.ok("timeline", "order-1", "--calls")))
	b.env["NO_COLOR"] = "1"
	for _, columns := range []int{40, 60, 80, 120, 200} {
		b.columns = columns
		for line := range strings.Lines(b.ok("timeline", "order-1", "--linear")) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > columns && !strings.HasPrefix(line, "started") && !strings.HasPrefix(line, "░") {
				t.Errorf("at %d columns a line has %d: %s", columns, n, line)
			}
		}
	}
	if out := b.ok("timeline", "order-2"); !strings.Contains(out, "  running") {
		t.Errorf("of one that is stuck it is\n%s", out)
	}
	b.columns = 0
	if out := b.ok("timeline", "order-1"); !strings.Contains(out, "1\t3\tactivity\tCharge\tdone\t2030-01-01T11:00:00Z\t2030-01-01T11:00:00.184Z\t184ms\t0\t\n") || strings.Contains(out, "\x1b") {
		t.Errorf("elsewhere it is\n%s", out)
	}
	if out := b.ok("timeline", "order-1", "--at", "4"); !strings.Contains(out, "1\t3\tactivity\tCharge\topen\t") || strings.Contains(out, "Ship") {
		t.Errorf("after event 4 it is\n%s", out)
	}
	b.fails(exitUsage, []string{"--executions 0"}, "timeline", "order-1", "--executions", "0")
	b.fails(exitUsage, []string{"--rows -1"}, "timeline", "order-1", "--rows", "-1")
	b.fails(exitNotFound, []string{`no instance "x"`}, "timeline", "x")
}

func TestTheCostIsCounted(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	b.columns, b.env["NO_COLOR"] = 80, "1"
	golden(t, "cost-80.txt", b.ok("cost", "order-1"))
	b.fails(exitUsage, []string{"--executions 101"}, "cost", "order-1", "--executions", "101")
}
