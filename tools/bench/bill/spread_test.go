package bill

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/tools/bench/document"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

// spread is a row of the table of several instances at once, whose calls take differently
// long, with so many pollers of each queue.
type spread struct {
	name               string
	instances, pollers int
	few, many          int
	work               func(n int) time.Duration
	fanOut             bool
	// seeds are those that a cell is the mean of; default 3. Ten instances fall out of
	// step at another moment in each run where the window is short, and a run costs half
	// as much again when they do: that takes the mean of more.
	seeds int
	// most is what a million may cost with the default window, in dollars.
	most float64
}

func spreads() []spread {
	return []spread{
		{name: "chain, one instance", instances: 1, pollers: 3, few: 20, many: 80, most: 4.00},
		{name: "chain, 10 instances started together", instances: 10, pollers: 3, few: 10, many: 40, most: 1.15, seeds: 16},
		{name: "… with five pollers", instances: 10, pollers: 5, few: 10, many: 40, most: 1.15, seeds: 16},
		{name: "chain, 100 instances started together", instances: 100, pollers: 3, few: 5, many: 15, most: 1.20},
		{name: "… with five pollers", instances: 100, pollers: 5, few: 5, many: 15, most: 1.20},
		{name: "chain, 10 instances, attempts of 10 to 100 ms", instances: 10, pollers: 3, few: 10, many: 40, work: varied},
		{name: "… with five pollers", instances: 10, pollers: 5, few: 10, many: 40, work: varied},
		{name: "chain, 100 instances, attempts of 10 to 100 ms", instances: 100, pollers: 3, few: 5, many: 15, work: varied},
		{name: "fan-out of ten, one instance", instances: 1, pollers: 3, few: 50, many: 150, fanOut: true},
		{name: "fan-out of ten, 10 instances started together", instances: 10, pollers: 3, few: 20, many: 60, fanOut: true},
	}
}

// windows are the ones that the table compares; the default is among them.
var windows = []time.Duration{2 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 40 * time.Millisecond}

// with is the cell of a window: dollars a million steps, and how long a round of an
// instance takes, a step of a chain or ten of a fan-out.
func (s *spread) with(t *testing.T, window time.Duration) (dollars float64, round time.Duration) {
	t.Helper()
	seeds := cmp.Or(s.seeds, 3)
	for seed := range uint64(seeds) {
		l := workload{name: s.name, instances: s.instances, few: s.few, many: s.many, code: chain,
			setting: setting{work: s.work, Setting: stack.Setting{Pollers: s.pollers, Seed: seed + 1, SendWindow: window}}}
		rounds := s.many - s.few
		if s.fanOut {
			l.code, rounds = fanOut, rounds/10
		}
		r := measure(t, &l)
		dollars += r.dollars() / float64(seeds)
		round += r.took / time.Duration(rounds) / time.Duration(seeds)
	}
	return dollars, round
}

// Several instances at once stay together although no two calls take equally long, and
// whoever is alone, or has all that it sends at once, waits for nothing.
func TestTheTableOfSeveralAtOnce(t *testing.T) {
	var table strings.Builder
	table.WriteString("| cost per million steps, duration of a round |")
	for _, w := range windows {
		if w == host.DefaultSettings().SendWindow {
			fmt.Fprintf(&table, " **%d ms**, the default |", w.Milliseconds())
		} else {
			fmt.Fprintf(&table, " %d ms |", w.Milliseconds())
		}
	}
	table.WriteString("\n| --- |" + strings.Repeat(" --- |", len(windows)) + "\n")
	for _, s := range spreads() {
		fmt.Fprintf(&table, "| %s |", s.name)
		for _, w := range windows {
			dollars, round := s.with(t, w)
			fmt.Fprintf(&table, " $%.2f, %.0f ms |", dollars, round.Seconds()*1000)
			if w == host.DefaultSettings().SendWindow && s.most > 0 && dollars > s.most {
				t.Errorf("%s: a million cost $%.2f, want at most $%.2f", s.name, dollars, s.most)
			}
		}
		table.WriteString("\n")
	}
	t.Logf("\n%s", table.String())
	document.HoldAbout(t, "../../../docs/internal/performance.md", "spread", "go -C tools/bench test ./bill -update", table.String(), 0.15, *update)
}
