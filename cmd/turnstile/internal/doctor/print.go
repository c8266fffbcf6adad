package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Print prints the findings of a report: grouped by area on a terminal, one per line in a pipe.
func Print(screen *term.Screen, report *api.Doctor) {
	if !screen.Person {
		rows := term.NewTable()
		for _, f := range report.Findings {
			rows.Row(term.Text(f.Level), term.Text(f.Area), term.Text(printable.Line(f.Text)), term.Text(printable.Line(f.Advice)))
		}
		rows.Print(screen)
		return
	}
	signs := map[string]struct {
		sign  string
		style term.Style
	}{OK: {"✓", term.Green}, Warning: {"!", term.Yellow}, Problem: {"✗", term.Red}, Unknown: {"?", term.Yellow}}
	var areas []string
	for _, f := range report.Findings {
		if !slices.Contains(areas, f.Area) {
			areas = append(areas, f.Area)
		}
	}
	fmt.Fprintln(screen, screen.In(term.Bold, report.Place))
	for _, area := range areas {
		fmt.Fprintf(screen, "\n%s\n", screen.In(term.Bold, area))
		for _, f := range report.Findings {
			if f.Area != area {
				continue
			}
			sign := signs[f.Level]
			lines := term.Wrap(printable.Line(f.Text), screen.Columns()-4)
			fmt.Fprintf(screen, "  %s %s\n", screen.In(sign.style, sign.sign), strings.Join(lines, "\n    "))
			if f.Advice != "" {
				for _, line := range term.Wrap(printable.Line(f.Advice), screen.Columns()-4) {
					fmt.Fprintf(screen, "    %s\n", screen.In(term.Dim, line))
				}
			}
		}
	}
	fmt.Fprintf(screen, "\n%s, %s, %d not checked\n", plain.Plural(report.Problems, "problem", "problems"), plain.Plural(report.Warnings, "warning", "warnings"), report.Unknown)
}
