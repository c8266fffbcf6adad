package scale

import (
	"fmt"
	"strings"
)

// rates in turns a second.
var rates = []float64{100, 1_000, 10_000, 100_000}

// work is what an attempt of an activity takes itself.
const work = 0.050 // seconds

// limit is something of which a stack takes more the more turns it makes.
type limit struct {
	name string
	// needs is how much of it a turn a second takes.
	needs float64
	// starts is what there is without asking; an empty note says of what.
	starts float64
	note   string
}

// limits of the mix with each message alone; together is the same with full batches,
// for what that changes.
//
// An instance of T turns writes T+2 units to the history table (its first and last
// turn are in a transaction, which is charged twice), 4 to the instances table (its
// record is made and changed, each in a transaction), and entries of indexes: one of
// by_time, one of by_name, and three of by_status, of which the one that says
// "running" is made and removed.
func limits(alone, together count) []limit {
	turns := float64(alone.turns)
	perTurn := func(n float64) float64 { return n / turns }
	instances := perTurn(float64(alone.instances))
	history := (turns + 2*float64(alone.instances)) / turns
	attempts := perTurn(float64(alone.attempts))
	batched := float64(together.turns)
	return []limit{
		{"invocations of the orchestrator at once, each message alone", perTurn(alone.orchestrating), 3, "template: `OrchestratorConcurrency`"},
		{"the same, full batches", together.orchestrating / batched, 3, ""},
		{fmt.Sprintf("invocations of the worker at once, attempts of %.0f ms, each alone", 1000*work), perTurn(alone.attempting) + attempts*work, 3, "template: `ActivityConcurrency`"},
		{"the same, full batches", together.attempting/batched + float64(together.attempts)/batched*work/10, 3, ""},
		{"receives of the FIFO queue a second, each message alone", perTurn(float64(alone.batches)), 2_400, "quota, least region; 70,000 in the largest"},
		{"the same, full batches", float64(together.batches) / batched, 2_400, ""},
		{"write units a second, history table", history, 4_000, "a new table on demand; quota 40,000"},
		{"write units a second, instances table", 4 * instances, 4_000, "the same"},
		{"write units a second, index `by_status`", 3 * instances, 4_000, "the same"},
		{"write units a second, one shard of \"running\", 8 shards", 2 * instances / 8, 1_000, "a partition"},
		{"the same, 64 shards", 2 * instances / 64, 1_000, ""},
		{"schedules made, and fired, a second", perTurn(alone.schedules), 1_000, "quota of what fires; 250 to 5,000 made, by region"},
	}
}

func limitsTable(alone, together count) string {
	var table strings.Builder
	table.WriteString("| what a stack needs, by turns per second |")
	for _, r := range rates {
		fmt.Fprintf(&table, " %s |", thousands(r))
	}
	table.WriteString(" without asking |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, l := range limits(alone, together) {
		fmt.Fprintf(&table, "| %s |", l.name)
		for _, r := range rates {
			n := thousands(r * l.needs)
			if r*l.needs > l.starts {
				n = "**" + n + "**"
			}
			fmt.Fprintf(&table, " %s |", n)
		}
		note := thousands(l.starts)
		if l.note != "" {
			note += " (" + l.note + ")"
		}
		fmt.Fprintf(&table, " %s |\n", note)
	}
	return table.String()
}

// thousands writes 12345.6 as 12,346, and what is small with two digits.
func thousands(n float64) string {
	switch {
	case n < 10:
		return fmt.Sprintf("%.2g", n)
	case n < 1000:
		return fmt.Sprintf("%.0f", n)
	}
	text := fmt.Sprintf("%.0f", n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
