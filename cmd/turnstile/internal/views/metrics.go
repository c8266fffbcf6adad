package views

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Metrics prints a line for each orchestration.
func Metrics(screen *term.Screen, all []api.OrchestrationMetrics) {
	t := term.NewTable("STARTED", "OPEN", "FAILED", "P50", "P99", "LONGEST", "ORCHESTRATION")
	for i := range all {
		o := &all[i]
		t.Row(append(append(numbers(o.Started, o.Open, o.Failed), took(o.Took)...), term.Text(printable.Line(o.Name)))...)
	}
	t.Print(screen)
}

// Steps prints a line for each step of an orchestration.
func Steps(screen *term.Screen, all []api.Step) {
	t := term.NewTable("SHARE", "COUNT", "P50", "P99", "LONGEST", "FAILED", "RETRIES", "OPEN", "STEP")
	for i := range all {
		s := &all[i]
		n := 0
		if s.Took != nil {
			n = s.Took.Of
		}
		row := append([]term.Cell{term.Text(fmt.Sprintf("%.0f%%", 100*s.Share)), term.Text(strconv.Itoa(n))}, took(s.Took)...)
		row = append(row, numbers(s.Failed, s.Retries, s.Open)...)
		t.Row(append(row, term.Text(printable.Line(string(s.Kind)+" "+cmp.Or(s.Name, "–"))))...)
	}
	t.Print(screen)
}

func numbers(all ...int) (cells []term.Cell) {
	for _, n := range all {
		cells = append(cells, term.Text(strconv.Itoa(n)))
	}
	return cells
}

// took returns the median, the 99th percentile and the maximum of durations.
func took(t *api.Took) []term.Cell {
	if t == nil {
		return []term.Cell{term.Text("–"), term.Text("–"), term.Text("–")}
	}
	span := func(ms int64) term.Cell { return term.Text(plain.Span(time.Duration(ms) * time.Millisecond)) }
	return []term.Cell{span(t.P50MS), span(t.P99MS), span(t.MaxMS)}
}
