package views

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/schedule"
)

// Schedules is a table of schedules.
type Schedules struct{ rows *term.Table }

// NewSchedules returns a table without schedules.
func NewSchedules() *Schedules {
	return &Schedules{term.NewTable("SCHEDULE", "STATUS", "WHEN", "NEXT", "STARTED", "MISSED", "STARTS")}
}

// Row adds a schedule.
func (t *Schedules) Row(s *schedule.Description) {
	t.rows.Row(term.Text(printable.Line(s.Definition.Name)), term.Text(scheduleStatus(s)), term.Text(when(&s.Definition)), term.Text(nextTick(s)),
		term.Text(fmt.Sprint(s.Started)), term.Text(fmt.Sprint(s.MissedTicks)), term.Text(printable.Line(s.Definition.Starts.Name)))
}

// Len is how many schedules it has.
func (t *Schedules) Len() int { return t.rows.Len() }

// Print writes the table.
func (t *Schedules) Print(screen *term.Screen) { t.rows.Print(screen) }

func scheduleStatus(s *schedule.Description) string {
	switch {
	case s.Instance.Status != client.StatusRunning:
		return string(s.Instance.Status)
	case s.Paused:
		return "paused"
	case s.Next.IsZero():
		return "over"
	}
	return "active"
}

func nextTick(s *schedule.Description) string {
	if s.Next.IsZero() {
		return "–"
	}
	return s.Next.UTC().Format(time.RFC3339)
}

// when says when a schedule is due.
func when(d *schedule.Definition) string {
	if d.Cron == "" {
		return "every " + d.Every.String()
	}
	if d.Zone == "" {
		return d.Cron + " UTC"
	}
	return d.Cron + " " + d.Zone
}

// Schedule prints a schedule: its next ticks, what it started and what it missed.
func Schedule(out io.Writer, d *schedule.Description) {
	row := func(name, text string) { fmt.Fprintf(out, "%-10s %s\n", name, printable.Line(text)) }
	row("schedule", d.Definition.Name)
	row("status", scheduleStatus(d))
	if d.Note != "" {
		row("note", d.Note)
	}
	if p := d.Instance.Problem; p != nil {
		row("problem", p.Message)
	}
	row("due", when(&d.Definition))
	row("starts", strings.TrimSpace(d.Definition.Starts.Name+" "+d.Definition.Starts.Version))
	row("overlap", string(cmp.Or(d.Definition.Overlap, schedule.Skip)))
	row("catch-up", string(cmp.Or(d.Definition.CatchUp, schedule.CatchUpLast)))
	row("instance", d.Instance.Instance)
	for _, at := range d.Ticks {
		row("next", at.UTC().Format(time.RFC3339))
	}
	for i := len(d.Recent) - 1; i >= 0; i-- {
		r := &d.Recent[i]
		row("started", strings.TrimSpace(r.Tick.UTC().Format(time.RFC3339)+"  "+r.Instance+"  "+r.Outcome+"  "+r.Failure))
	}
	for i := len(d.Missed) - 1; i >= 0; i-- {
		m := &d.Missed[i]
		text := m.From.UTC().Format(time.RFC3339)
		if m.Ticks > 1 {
			text += " to " + m.To.UTC().Format(time.RFC3339)
		}
		row("missed", fmt.Sprintf("%s  %s  %s", text, plain.Plural(m.Ticks, "tick", "ticks"), m.Reason))
	}
	if n := len(d.Buffered) + len(d.Backfilling); n > 0 {
		row("waiting", plain.Plural(n, "tick waits", "ticks wait")+" until nothing runs")
	}
}
