package views

import (
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Causes prints a line for each cause of failures, with bars over time.
func Causes(screen *term.Screen, now time.Time, causes []api.FailureCause) {
	t := term.NewTable("CAUSE", "STATUS", "INSTANCES", "LAST", "OVER TIME", "ERROR")
	for i := range causes {
		f := &causes[i]
		what := cause.Cause{Kind: f.Kind, Source: f.Source, Message: f.Message}.Line()
		t.Row(term.Text(f.Key), term.Text(f.Status), term.Text(strconv.Itoa(f.Instances)), term.Text(plain.Ago(now, f.Last)),
			term.Text(bars(f.Bars)), term.Text(printable.Line(what)))
	}
	t.Print(screen)
}

// bars draws numbers as bars in one line.
func bars(numbers []int) string {
	most := 1
	for _, n := range numbers {
		most = max(most, n)
	}
	steps := []rune("▁▂▃▄▅▆▇█")
	out := make([]rune, len(numbers))
	for i, n := range numbers {
		out[i] = '·'
		if n > 0 {
			out[i] = steps[(n*(len(steps)-1))/most]
		}
	}
	return string(out)
}
