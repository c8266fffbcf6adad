package bill

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/tools/bench/document"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

// customMetrics are the names of those that a workload makes the functions write.
func customMetrics(t *testing.T, l *workload) (names []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, l.setting, l.code(l.many))
		for i := range l.instances {
			w.start(instance(i))
		}
		w.Run(0)
		if l.drive != nil {
			l.drive(w, l.many)
		}
		w.Bill()
		names = w.CustomMetrics()
	})
	return names
}

// A stack in use costs by the month, beside what steps cost: the idle stack, as
// docs/internal/guide-figures.md has it, and its metrics.
func TestWhatAStackInUseCostsAMonth(t *testing.T) {
	text, err := os.ReadFile("../../../docs/internal/guide-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := regexp.MustCompile(`\| \*\*together\*\* \| \| \| \*\*\$([0-9.]+)\*\* \|`).FindSubmatch(text)
	if sum == nil {
		t.Fatal("docs/internal/guide-figures.md does not say what an idle stack costs")
	}
	idle, err := strconv.ParseFloat(string(sum[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	uses := []struct {
		name string
		workload
	}{
		{"chains, one process", workload{instances: 10, many: 10, code: chain}},
		{"chains, processes that read histories", workload{setting: setting{Setting: stack.Setting{Processes: 4, Cold: true}}, instances: 10, many: 10, code: chain}},
		{"an instance is stuck, and sweeps wake it", workload{instances: 1, many: 1, code: panics, drive: sweeps}},
	}
	var table strings.Builder
	table.WriteString("| stack in use | custom metrics | their names | per month | with the idle stack | with a dashboard |\n| --- | --- | --- | --- | --- | --- |\n")
	all := map[string]bool{}
	row := func(name string, names []string) {
		metrics := float64(len(names)) * bill.CustomMetricMonth
		fmt.Fprintf(&table, "| %s | %d | `%s` | $%.2f | $%.2f | $%.2f |\n", name, len(names), strings.Join(names, "`, `"), metrics, idle+metrics, idle+metrics+bill.DashboardMonth)
	}
	for _, u := range uses {
		names := customMetrics(t, &u.workload)
		for _, n := range names {
			all[n] = true
		}
		row(u.name, names)
	}
	row("all of these", slices.Sorted(maps.Keys(all)))
	if least, most := len(customMetrics(t, &uses[0].workload)), len(all); least != bill.LeastMetrics || most+2 != bill.MostMetrics {
		t.Errorf("%d to %d metrics, and Returned and Conflicts: package bill says %d to %d", least, most, bill.LeastMetrics, bill.MostMetrics)
	}
	if idle != bill.IdleStackMonth {
		t.Errorf("an idle stack costs $%.2f, package bill says $%.2f", idle, bill.IdleStackMonth)
	}
	t.Logf("\n%s", table.String())
	document.Hold(t, "../../../docs/internal/performance.md", "use", "go -C tools/bench test ./bill -update", table.String(), *update)
}
