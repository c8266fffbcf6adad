package scale

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/bill"
	benchdocument "github.com/turnstile-go/turnstile/tools/bench/document"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

var (
	update    = flag.Bool("update", false, "write the tables of docs/scale.md and docs/internal/performance.md anew")
	instances = flag.Int("instances", 0, "a larger sample, such as 10000, that has to agree with the small one")
)

const (
	// file is the page of users, figures that of contributors.
	file    = "../../../docs/scale.md"
	figures = "../../../docs/internal/performance.md"
	command = "go -C tools/bench test ./scale -update"
	// small is the sample that the document is made from, and half of it what it is
	// compared with.
	small = 600
	aDay  = 10_000_000
)

func TestADayOfTenMillionInstances(t *testing.T) {
	var counts []count
	for _, a := range arrivals {
		c := sample(t, a, small)
		proveLinear(t, a, sample(t, a, small/2), c)
		if *instances > 0 {
			proveLinear(t, a, c, sample(t, a, *instances))
		}
		counts = append(counts, c)
	}
	benchdocument.Hold(t, figures, "mix", command, mixTable(), *update)
	benchdocument.HoldAbout(t, figures, "day", command, dayTable(counts), 0.03, *update)
	benchdocument.HoldAbout(t, file, "limits", command, limitsTable(counts[0], counts[1]), 0.03, *update)
}

// proveLinear fails the test unless both samples take as much an instance: the same,
// each message alone; within a twenty-fifth where batches are filled by what comes at
// the same time, of which the ends of a sample have less. Log lines are
// shared by the instances of ten seconds, and each process begins with one of its own:
// a quarter.
func proveLinear(t *testing.T, a arrival, few, many count) {
	t.Helper()
	for _, i := range bill.Items() {
		within := 0.001
		if a.batch > 1 {
			within = 0.04
		}
		if i == bill.LogBytes {
			within = 0.25
		}
		one, other := few.per(i), many.per(i)
		t.Logf("%s, %d and %d instances: %.5g and %.5g %s of %s an instance", a.name, few.instances, many.instances, one, other, i.Unit(), i.Service())
		if math.Abs(one-other) > within*one {
			t.Errorf("%s: an instance of %d takes %v %s of %s, one of %d takes %v: the counts do not grow with the instances alone",
				a.name, few.instances, one, i.Unit(), i.Service(), many.instances, other)
		}
	}
}

func mixTable() string {
	var table strings.Builder
	table.WriteString("| of 100 instances | do |\n| --- | --- |\n")
	for _, k := range mix() {
		fmt.Fprintf(&table, "| %d | %s |\n", k.percent, k.what)
	}
	return table.String()
}

func dayTable(counts []count) string {
	var table strings.Builder
	table.WriteString("| |")
	for _, a := range arrivals {
		fmt.Fprintf(&table, " %s: per instance | per day | dollars |", a.name)
	}
	table.WriteString("\n| --- | --- | --- | --- | --- | --- | --- |\n")
	line := func(name string, of func(c count) (n, dollars float64), what func(n float64) string) {
		fmt.Fprintf(&table, "| %s |", name)
		for _, c := range counts {
			n, dollars := of(c)
			fmt.Fprintf(&table, " %.3g | %s | %s |", n, what(n*aDay), money(dollars*aDay))
		}
		table.WriteString("\n")
	}
	line("turns", func(c count) (float64, float64) { return float64(c.turns) / float64(c.instances), 0 }, millions)
	for _, i := range bill.Items() {
		line(i.Service()+", "+i.Unit(), func(c count) (float64, float64) { return c.per(i), c.per(i) * i.Price() / 1e6 }, millions)
	}
	fmt.Fprintf(&table, "| **together** |")
	for _, c := range counts {
		fmt.Fprintf(&table, " | | **%s** |", money(c.bill.Dollars()/float64(c.instances)*aDay))
	}
	table.WriteString("\n")
	return table.String()
}

func millions(n float64) string {
	switch {
	case n >= 10e9:
		return fmt.Sprintf("%.1f thousand million", n/1e9)
	case n < 10e6:
		return fmt.Sprintf("%.2f million", n/1e6)
	}
	return fmt.Sprintf("%.1f million", n/1e6)
}

func money(dollars float64) string {
	if dollars == 0 {
		return ""
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// What a step takes from the commit that schedules it until the next commit, by the
// stated latencies: the time of the chain, divided by its steps.
func TestALatencyByItsParts(t *testing.T) {
	var table strings.Builder
	table.WriteString("| a step of a chain, alone on the stack | in all | invocations of the orchestrator | invocations of the worker |\n| --- | --- | --- | --- |\n")
	for _, l := range []struct {
		name    string
		setting stack.Setting
		inline  bool
	}{
		{"queued, one warm process", stack.Setting{Batch: 1}, false},
		{"queued, 16 warm processes in turn", stack.Setting{Batch: 1, Processes: 16}, false},
		{"queued, cold processes, steps 10 to 60", stack.Setting{Batch: 1, Cold: true}, false},
		{"inline", stack.Setting{Batch: 1}, true},
	} {
		few, fewAttempts := chain(t, l.setting, 10, l.inline)
		many, manyAttempts := chain(t, l.setting, 60, l.inline)
		in, attempt := (many-few)/50, (manyAttempts-fewAttempts)/50
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", l.name, ms(in), ms(in-attempt), ms(attempt))
	}
	benchdocument.Hold(t, file, "latency", command, table.String(), *update)
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}
