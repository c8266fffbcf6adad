package views

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Schedules prints a table of schedules.
func Schedules(screen *term.Screen, all []api.Schedule) {
	t := term.NewTable("SCHEDULE", "STATUS", "WHEN", "NEXT", "STARTED", "MISSED", "ORCHESTRATION")
	for i := range all {
		s, next := &all[i], "–"
		if len(s.NextRuns) > 0 {
			next = s.NextRuns[0].UTC().Format(time.RFC3339)
		}
		t.Row(term.Text(printable.Line(s.Name)), term.Text(s.Status), term.Text(when(s)), term.Text(next),
			term.Text(fmt.Sprint(s.Started)), term.Text(fmt.Sprint(s.MissedRuns)), term.Text(printable.Line(s.Orchestration)))
	}
	t.Print(screen)
}

// when describes when a schedule is due.
func when(s *api.Schedule) string {
	switch {
	case s.Cron == "":
		return "every " + s.Every
	case s.TimeZone == "":
		return s.Cron + " UTC"
	}
	return s.Cron + " " + s.TimeZone
}

// Schedule prints a schedule: its next runs, what it started and what it missed.
func Schedule(out io.Writer, s *api.Schedule) {
	row := func(name, text string) { fmt.Fprintf(out, "%-13s %s\n", name, printable.Line(text)) }
	row("schedule", s.Name)
	row("status", s.Status)
	if s.Note != "" {
		row("note", s.Note)
	}
	if s.Problem != "" {
		row("problem", s.Problem)
	}
	row("due", when(s))
	row("orchestration", strings.TrimSpace(s.Orchestration+" "+s.Version))
	row("overlap", s.Overlap)
	row("catch-up", s.CatchUp)
	row("instance", s.Instance)
	for _, at := range s.NextRuns {
		row("next", at.UTC().Format(time.RFC3339))
	}
	for i := range s.Recent {
		r := &s.Recent[i]
		row("started", strings.TrimSpace(r.ScheduledAt.UTC().Format(time.RFC3339)+"  "+r.Instance+"  "+r.Outcome+"  "+r.Failure))
	}
	for i := range s.Missed {
		m := &s.Missed[i]
		text := m.From.UTC().Format(time.RFC3339)
		if m.Runs > 1 {
			text += " to " + m.To.UTC().Format(time.RFC3339)
		}
		row("missed", fmt.Sprintf("%s  %s  %s", text, plain.Plural(m.Runs, "run", "runs"), m.Reason))
	}
	if n := len(s.Buffered); n > 0 {
		row("waiting", plain.Plural(n, "run waits", "runs wait")+" for the running instance")
	}
}
